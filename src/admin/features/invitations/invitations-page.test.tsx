import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Invitations } from './invitations-page.tsx'

afterEach(cleanup)

/** Renders a text once the caller's rights are loaded. */
function Rights() {
  return useCanInSpace('pond')('member.manage') && <p>rights are known</p>
}

async function show(held: string[]) {
  answerRequests(({ path }) => ({
    body: path.endsWith('currentRole')
      ? { currentRole: { uid: 'pjt-Admin', rights: held, held } }
      : { invitations: [], ssoIsReady: false, ssoDomains: [], unsentMails: 2 },
  }))
  const root = createRootRoute()
  const component = () => (
    <>
      <Invitations place={{ p: 'pond' }} mayInvite />
      <Rights />
    </>
  )
  const router = createRouter({
    routeTree: root.addChildren([createRoute({ getParentRoute: () => root, path: '/', component })]),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  // `RouterProvider` is typed for the admin's own router.
  await renderInAdmin(<RouterProvider router={router as never} />)
  expect(await screen.findByText(/メール2件を送信できませんでした/)).toBeTruthy()
  expect(screen.getByRole('heading', { name: '招待中の人はいません' })).toBeTruthy()
  expect(await screen.findByText('rights are known')).toBeTruthy()
}

it('the list of invitations links to the jobs for unsent mails if the member has `space.update`', async () => {
  await show(['member.manage', 'space.update'])
  expect(await screen.findByRole('link', { name: '「ジョブ」で確認する' })).toBeTruthy()
})

it('the list of invitations reports unsent mails without a link if the member has no `space.update`', async () => {
  await show(['member.manage'])
  expect(screen.queryByRole('link')).toBeNull()
})
