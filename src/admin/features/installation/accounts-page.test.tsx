import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderAsPage } from '#admin/lib/testing.tsx'
import { AccountsPage } from './accounts-page.tsx'

afterEach(cleanup)

const account = {
  _id: 'a'.repeat(24),
  email: 'ken@example.com',
  name: '森 健',
  emailVerified: true,
  isAdmin: false,
  hasSecondFactor: true,
  provisioned: false,
  createdAt: '2026-11-01T00:00:00.000Z',
  spaceCount: 2,
  lastSeenAt: null,
}
const provisioned = {
  ...account,
  _id: 'b'.repeat(24),
  name: '',
  email: 'new@example.com',
  hasSecondFactor: false,
  provisioned: true,
  emailVerified: false,
}

it('the list of accounts resets the second factor of an account, and updates the shown state', async () => {
  let { hasSecondFactor } = account
  const seen = answerRequests(({ method, path }) => {
    if (method === 'POST') hasSecondFactor = false
    if (path.endsWith('csrfToken')) return { body: { csrfToken: 'token' } }
    return { body: { accounts: [{ ...account, hasSecondFactor }, provisioned], total: 2, success: true } }
  })
  await renderAsPage(AccountsPage)
  const rowOf = async (name: RegExp) =>
    within((await screen.findByRole('rowheader', { name })).closest('tr') as HTMLElement)
  const other = await rowOf(/new@example\.com/)
  expect(other.getByText('未参加')).toBeTruthy()
  expect(other.queryByRole('button', { name: /リセット/ })).toBeNull()
  const ken = await rowOf(/森 健/)
  expect(ken.getByText('有効')).toBeTruthy()
  expect(ken.getByText('記録なし')).toBeTruthy()
  fireEvent.click(ken.getByRole('button', { name: '森 健さんの2段階認証をリセットする' }))
  const dialog = within(await screen.findByRole('dialog', { name: '2段階認証をリセットする' }))
  fireEvent.change(dialog.getByLabelText('ご自身のパスワード'), { target: { value: 'my own password' } })
  fireEvent.click(await dialog.findByRole('button', { name: '2段階認証をリセットする' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(seen.find(({ method }) => method === 'POST')).toMatchObject({
    path: `/api/admin/account/${account._id}/resetSecondFactor`,
    body: { password: 'my own password' },
  })
  await waitFor(() => expect(screen.queryByText('有効')).toBeNull())
})

it('the list of accounts sends the search to the server, and shows a message if no account matches', async () => {
  const seen = answerRequests(({ path }) => ({
    body: {
      accounts: path.includes('search=nobody') ? [] : [account],
      total: path.includes('search') ? 0 : 1,
    },
  }))
  await renderAsPage(AccountsPage)
  expect(await screen.findByText('1件')).toBeTruthy()
  const box = screen.getByRole('searchbox', { name: '名前・メールアドレスで検索' })
  fireEvent.change(box, { target: { value: 'nobody' } })
  expect(await screen.findByText('該当するアカウントはありません')).toBeTruthy()
  expect(seen.at(-1)?.path).toContain('search=nobody')
})

it('the list of accounts keeps search, order and page in the URL', async () => {
  const seen = answerRequests(() => ({ body: { accounts: [account], total: 80 } }))
  const history = await renderAsPage(AccountsPage, '/?search=ken&sort=name&page=2')
  fireEvent.click(await screen.findByRole('button', { name: '次のページ' }))
  await waitFor(() => expect(history.location.search).toBe('?search=ken&sort=name&page=3'))
  expect(screen.getByRole('button', { name: '前のページ' })).toBeTruthy()
  await waitFor(() => expect(seen.at(-1)?.path).toMatch(/search=ken&sort=name&skip=50/))
  expect(seen[0]?.path).toMatch(/skip=25/)
})
