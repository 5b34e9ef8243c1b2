import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorText } from '#admin/lib/errors.ts'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { signInByPasskey } from './passkey-sign-in.ts'

let reason: DOMException
beforeEach(async () => {
  await renderInAdmin(null)
  vi.stubGlobal('PublicKeyCredential', class {})
  vi.stubGlobal('navigator', { credentials: { get: () => Promise.reject(reason) } })
  answerRequests(({ path }) => ({
    body: path.endsWith('csrfToken')
      ? { csrfToken: null }
      : { authenticatingUserId: '0', options: { challenge: 'AAAA', allowCredentials: [] } },
  }))
})
afterEach(() => vi.unstubAllGlobals())

describe('signInByPasskey', () => {
  it.each(['NotAllowedError', 'AbortError'])('reports a failed verification after a %s', async (name) => {
    reason = new DOMException('not told', name)
    const error = await signInByPasskey().catch((caught: unknown) => caught)
    expect(errorText(error)).toMatch(/^パスキーを確認できませんでした。/)
  })

  it('rethrows a NotReadableError of the browser', async () => {
    reason = new DOMException('other', 'NotReadableError')
    await expect(signInByPasskey()).rejects.toMatchObject({ name: 'NotReadableError' })
  })
})
