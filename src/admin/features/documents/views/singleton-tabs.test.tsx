import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { Model } from '#shared/contract/models.ts'
import { addCreated, writeSeenList } from '../list/seen-list.ts'
import { SingletonTabs } from './singleton-tabs.tsx'

const place = { p: 'pond', a: 'blog', m: 'page' }
const model = { uid: 'page', name: 'ページ', fields: [] } as unknown as Model
const view = {
  _id: 'v',
  uid: 'top',
  modelUid: 'page',
  name: '表紙',
  type: 'SINGLETON',
  personal: false,
  settings: {},
}

beforeEach(() => {
  const currentRole = { rights: [], models: {}, elsewhere: [] }
  answerRequests(({ path }) => ({ body: path.endsWith('appView') ? { appViews: [view] } : { currentRole } }))
  writeSeenList(place, { search: {}, query: '', top: 0, total: 0, first: 0, ids: [], singleton: 'top' })
})
afterEach(cleanup)

async function show(id: string | undefined) {
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  // The provider is typed for the admin's own router.
  return renderInAdmin(
    <RouterContextProvider router={router as never}>
      <SingletonTabs model={model} place={place} id={id} />
    </RouterContextProvider>,
  )
}

it.each([undefined, 'a'])(
  'SingletonTabs shows tabs for the first document of an empty single-document view (_id: %s)',
  async (id) => {
    if (id) addCreated(place, id)
    await show(id)
    expect((await screen.findByRole('link', { name: /表紙/ })).getAttribute('aria-current')).toBe('page')
  },
)

it('SingletonTabs shows no tabs for a document that is not in the single-document view', async () => {
  const { container } = await show('elsewhere')
  expect(container.querySelector('div')).toBeNull()
})
