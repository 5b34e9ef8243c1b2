import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { AppChanges } from '#shared/contract/move-updates.ts'
import type { Move } from '#shared/contract/moves.ts'
import { IntoApp } from '../move-place.ts'
import { UpdateMovePlan } from './update-plan.tsx'
import { UpdateResult } from './update-result.tsx'

afterEach(cleanup)

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })

const changes: AppChanges = {
  source: { kind: 'wordpress', space: 'a', app: 'a', status: 'complete', finishedAt: '2026-04-01T00:00:00Z' },
  app: { uid: 'blog', name: 'Blog' },
  counts: { documents: 1, assets: 0, bytes: 0 },
  models: [{ from: 'post', uid: 'post', name: '記事', unchanged: 0, knowsGone: false, unknownFields: [] }],
  additions: { models: [], parts: [], customTypes: [], views: { count: 0, examples: [] } },
  newModels: [],
  missingModels: [],
  notImported: [],
}
const problems = [{ code: 'undatedContents', path: 'post', count: 3, examples: ['秘密'] }]

it.each([
  [{ type: 'DATE' }, '「2026/04/01 10:30」 「2026/04/02 9:00」 「2026」'],
  [{ type: 'DATE', inputType: 'datetime' }, '「2026/04/01 10:30」 「2026/04/02 9:00」 「2026」'],
  [{ type: 'DATE', inputType: 'date' }, '「2026/04/01」 「2026/04/02」 「2026」'],
  [{ type: 'DATE', inputType: 'time' }, '「01:30」 「00:00」 「2026」'],
  [{ type: 'TEXT' }, '「2026-04-01T01:30:00.000Z」 「2026-04-02T00:00:00.000Z」 「2026」'],
])(
  'UpdateMovePlan formats sample values like the values of a field with the settings %j',
  async (settings, expected) => {
    const samples = ['2026-04-01T01:30:00.000Z', '2026-04-02T00:00:00.000Z', '2026']
    const choices = [{ settings, why: { code: 'moments' }, differences: [] }]
    const field = { uid: 'at', name: '日時', ...settings }
    const made = { takes: true, outcome: null, problem: null, after: null }
    const fields = [{ from: 'at', field, choices, samples, filled: 2, allows: {}, ...made }]
    const parts = [{ kind: 'model', from: 'post', uid: 'post', name: '記事', fields }]
    const grown = { ...changes, additions: { ...changes.additions, parts } } as unknown as AppChanges
    answerRequests(() => ({ body: { changes: grown, problems: [], counts: [], files: [], states: [] } }))
    await renderInAdmin(<UpdateMovePlan p="acme" move={{ _id: 'm', state: 'planned', app: null } as Move} />)
    expect((await screen.findByText(/^例：/)).textContent).toBe(`例：${expected}`)
  },
)

it.each([
  ['planned', UpdateMovePlan],
  ['accepted', UpdateResult],
] as const)('the import page shows a problem of the contents if the import is %s', async (state, Screen) => {
  answerRequests(({ path }) => ({
    body: path.includes('/documents')
      ? { documents: [], total: 0 }
      : { changes, problems, counts: [], files: [], states: [] },
  }))
  await renderInAdmin(
    <RouterContextProvider router={router as never}>
      <Screen p="acme" move={{ _id: 'm', state, app: { uid: 'blog', name: 'Blog' }, report: null } as Move} />
    </RouterContextProvider>,
  )
  expect(await screen.findByText(/3件の日付は「0000-00-00」/)).toBeTruthy()
  expect(screen.getByText('秘密')).toBeTruthy()
})

const states = [
  { key: 'published', state: 'published', statement: 'status: published', choice: 'publish' },
  { key: 'unknown', state: 'unknown', statement: '', choice: 'draft' },
].map((state) => ({ ...state, count: 2, changed: 0, examples: [] }))

const start = async () =>
  (await screen.findByRole('button', { name: 'インポートを始める' })) as HTMLButtonElement

/** Renders the plan of an import into an app, and returns the bodies of its PUT requests. */
async function renderImport(source: object) {
  const body = { changes, problems: [], counts: [], files: [], states: [], ...source }
  const currentRole = { rights: ['app.manage', 'document.write.any'], held: ['asset.write.own'] }
  const seen = answerRequests(({ path }) => ({
    body: path.endsWith('/changes') ? body : { success: true, currentRole, documents: [], total: 0 },
  }))
  await renderInAdmin(
    <RouterContextProvider router={router as never}>
      <IntoApp value="blog">
        <UpdateMovePlan p="acme" move={{ _id: 'm', state: 'planned', app: null } as Move} />
      </IntoApp>
    </RouterContextProvider>,
  )
  await start()
  return () => seen.filter(({ method }) => method === 'PUT').map((request) => request.body)
}

it('UpdateMovePlan requires a new comparison after publication choices change, and sends the choices', async () => {
  const sent = await renderImport({ states: [{ from: 'post', name: '投稿', states }] })
  const group = screen.getByRole('region', { name: '投稿' })
  const radio = (name: string, index: number) =>
    within(group).getAllByRole('radio', { name })[index] as HTMLElement
  fireEvent.click(radio('公開する', 1))
  fireEvent.click(radio('取り込まない', 0))
  expect((await start()).disabled).toBe(true)
  expect(screen.getByText(/を押してから、始めてください/)).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: '選んだ状態で比べ直す' }))
  const choices = [
    { from: 'post', key: 'unknown', choice: 'publish' },
    { from: 'post', key: 'published', choice: 'leaveOut' },
  ]
  await waitFor(() => expect(sent()).toEqual([{ data: { states: choices } }]))
})

it('UpdateMovePlan disables the start button for an unrecognized file, and sends the confirmation', async () => {
  const sent = await renderImport({ confirmed: false })
  expect((await start()).disabled).toBe(true)
  expect(screen.getByText(/チェックを入れると、始められます/)).toBeTruthy()
  fireEvent.click(screen.getByRole('checkbox', { name: '取り込みたいコンテンツに間違いありません' }))
  await waitFor(() => expect(sent()).toEqual([{ data: { confirmed: true } }]))
})

it('UpdateMovePlan lists the data that the import leaves out', async () => {
  await renderImport({ leftOut: [{ kind: 'account', name: 'users', count: 12 }] })
  expect(screen.getByRole('region', { name: '取り込まないデータ' }).textContent).toContain('users 12件')
})
