import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { ModalHost } from '#admin/ui/modal-host.tsx'
import { LeftMembers } from './left-members.tsx'

afterEach(cleanup)

const hanako = {
  _id: 'a'.repeat(24),
  accountId: 'b'.repeat(24),
  name: '花子',
  email: 'hanako@example.com',
  emailVerified: true,
  icon: null,
  roleId: 'app-Admin',
  lastSeenAt: null,
  provisioned: false,
  identities: null,
  leftAt: '2026-05-02T03:04:00.000Z',
}

it('shows the former role of a member who left the app, and deletes that role on request', async () => {
  let members = [hanako]
  const seen = answerRequests(({ method, path }) => {
    if (path === '/api/auth/csrfToken') return { body: { csrfToken: 'token' } }
    if (path.includes('/leftMembers')) return { body: { members, total: members.length, skip: 0, limit: 50 } }
    if (path.endsWith('/role')) return { body: { roles: [] } }
    if (method === 'DELETE') members = []
    return { body: { success: true } }
  })
  await renderInAdmin(
    <>
      <LeftMembers p="acme" a="blog" />
      <ModalHost />
    </>,
  )
  const row = (await screen.findByText('花子')).closest('li')
  expect(row?.textContent).toContain('管理者')
  expect(row?.textContent).toContain('退出：2026/05/02')
  fireEvent.click(screen.getByRole('button', { name: '花子さんの元のロールを取り消す', hidden: true }))
  fireEvent.click(await screen.findByRole('button', { name: '元のロールを取り消す' }))
  await waitFor(() => expect(screen.queryByText('花子')).toBeNull())
  expect(seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([
    `/api/project/acme/app/blog/member/${hanako._id}`,
  ])
})

it('renders nothing if no member has left', async () => {
  const seen = answerRequests(() => ({ body: { members: [], total: 0, skip: 0, limit: 50 } }))
  const { container } = await renderInAdmin(<LeftMembers p="acme" a="blog" />)
  await waitFor(() => expect(seen).toHaveLength(1))
  expect(container.querySelector('details')).toBeNull()
})
