import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkAccount, currentAccount, setAccount } from './session.ts'
import { answerRequests } from './testing.tsx'
import { closeAllToasts, shownToasts, toast } from './toast.ts'

const account = {
  _id: '0123456789abcdef01234567',
  email: 'a@example.com',
  name: '',
  isAdmin: true,
  language: 'ja',
  colorScheme: 'auto',
  emailVerified: false,
  icon: null,
} as const

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  setAccount(null)
})

describe('checkAccount', () => {
  it('fetches the account, then the CSRF token', async () => {
    const seen = answerRequests(({ path }) => ({
      body: path.endsWith('csrfToken') ? { csrfToken: 'x' } : { currentAccount: account },
    }))
    await checkAccount()
    expect(currentAccount()).toEqual(account)
    expect(seen.map((request) => request.path)).toEqual([
      '/api/auth/getCurrentAccount',
      '/api/auth/csrfToken',
    ])
  })

  it('sends no request if an account is known, unless `force` is set', async () => {
    setAccount(account)
    const seen = answerRequests(() => ({ body: { currentAccount: null } }))
    await checkAccount()
    expect(seen).toHaveLength(0)
    await checkAccount({ force: true })
    expect(currentAccount()).toBeNull()
  })

  it('retries every five seconds until it succeeds', async () => {
    let up = false
    const seen = answerRequests(() => (up ? { body: { currentAccount: null } } : new TypeError('down')))
    const onFailure = vi.fn()
    const check = checkAccount({ onFailure })
    await vi.advanceTimersByTimeAsync(4_999)
    expect(seen).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(5_001)
    expect(seen).toHaveLength(3)
    up = true
    await vi.advanceTimersByTimeAsync(5_000)
    await expect(check).resolves.toBeNull()
    expect(seen).toHaveLength(4)
    expect(onFailure).toHaveBeenCalledTimes(3)
  })
})

describe('setAccount', () => {
  it('closes earlier toasts when a user signs in, but not when the name of the account changes', () => {
    setAccount(account)
    toast.error('ログインの有効期限が切れました')
    setAccount(null)
    // The toast is still shown on the login page.
    expect(shownToasts().map(({ message }) => message)).toEqual(['ログインの有効期限が切れました'])
    setAccount(account)
    expect(shownToasts()).toEqual([])
    toast.success('保存しました')
    setAccount({ ...account, name: '花' })
    expect(shownToasts()).toHaveLength(1)
    closeAllToasts()
  })
})
