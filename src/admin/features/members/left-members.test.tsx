import { useQuery } from '@tanstack/react-query'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { ModalHost } from '#admin/ui/modal-host.tsx'
import { LeftMembers } from './left-members.tsx'
import { leftMembersQuery } from './members.queries.ts'

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

it('LeftMembers shows a member who left with the previous role, and sends a request to clear that role', async () => {
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

/** Renders a text once the members who left are loaded. */
function Loaded() {
  return useQuery(leftMembersQuery('acme', 'blog', 1)).data && <p>loaded</p>
}

it('LeftMembers renders nothing to expand if no member has left', async () => {
  answerRequests(() => ({ body: { members: [], total: 0, skip: 0, limit: 50 } }))
  const { container } = await renderInAdmin(
    <>
      <LeftMembers p="acme" a="blog" />
      <Loaded />
    </>,
  )
  await screen.findByText('loaded')
  expect(container.querySelector('details')).toBeNull()
})
