import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { setAccount } from '#admin/lib/session.ts'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { NewSpacePage } from './new-space-page.tsx'
import { SpacesPage } from './spaces-page.tsx'

afterEach(() => {
  cleanup()
  setAccount(null)
})

async function show(Page: () => React.ReactNode, answer: { projects: object[]; mayCreateSpaces: boolean }) {
  answerRequests(() => ({ body: answer }))
  setAccount({ email: 'ken@example.com' } as never)
  const root = createRootRoute()
  const router = createRouter({
    routeTree: root.addChildren([createRoute({ getParentRoute: () => root, path: '/', component: Page })]),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  // `RouterProvider` is typed for the admin's own router.
  await renderInAdmin(<RouterProvider router={router as never} />)
}

const newSpace = () => screen.queryByRole('link', { name: '新しいスペース' })
const pond = { uid: 'pond', name: '池' }

describe('the list of spaces', () => {
  it('offers a new space to users without a space who may create spaces', async () => {
    await show(SpacesPage, { projects: [], mayCreateSpaces: true })
    expect(await screen.findByRole('heading', { name: '最初のスペースを作りましょう' })).toBeTruthy()
    expect(newSpace()).toBeTruthy()
  })

  it('shows users without a space their own email address if they may not create spaces', async () => {
    await show(SpacesPage, { projects: [], mayCreateSpaces: false })
    expect(await screen.findByRole('heading', { name: '参加しているスペースはありません' })).toBeTruthy()
    expect(screen.getByText(/ken@example\.com/)).toBeTruthy()
    expect(newSpace()).toBeNull()
  })

  it('offers no new space to members of a space who may not create spaces', async () => {
    await show(SpacesPage, { projects: [pond], mayCreateSpaces: false })
    expect(await screen.findByRole('link', { name: '池' })).toBeTruthy()
    expect(newSpace()).toBeNull()
  })
})

describe('the page of a new space', () => {
  it('shows a message instead of the form to users who may not create spaces', async () => {
    await show(NewSpacePage, { projects: [pond], mayCreateSpaces: false })
    expect(await screen.findByRole('heading', { name: 'スペースを作成する権限がありません' })).toBeTruthy()
    expect(screen.queryByRole('textbox')).toBeNull()
  })

  it.each([
    [[], 'サンプルブログ'],
    [[pond], '空のスペース'],
  ])(
    'preselects a sample blog for users without a space, and otherwise an empty space: %j',
    async (projects, start) => {
      await show(NewSpacePage, { projects, mayCreateSpaces: true })
      expect(await screen.findByRole('textbox', { name: /スペース名/ })).toBeTruthy()
      expect(screen.getByRole('radio', { checked: true, name: new RegExp(start) })).toBeTruthy()
    },
  )
})
