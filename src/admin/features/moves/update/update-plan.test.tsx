import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { AppChanges } from '#shared/contract/move-updates.ts'
import type { Move } from '#shared/contract/moves.ts'
import { UpdatePlan } from './update-plan.tsx'
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
])('shows samples as a field of %j shows its values', async (settings, expected) => {
  const samples = ['2026-04-01T01:30:00.000Z', '2026-04-02T00:00:00.000Z', '2026']
  const choices = [{ settings, why: { code: 'moments' }, differences: [] }]
  const field = { uid: 'at', name: '日時', ...settings }
  const made = { takes: true, outcome: null, problem: null, after: null }
  const fields = [{ from: 'at', field, choices, samples, filled: 2, allows: {}, ...made }]
  const parts = [{ kind: 'model', from: 'post', uid: 'post', name: '記事', fields }]
  const grown = { ...changes, additions: { ...changes.additions, parts } } as unknown as AppChanges
  answerRequests(() => ({ body: { changes: grown, problems: [], counts: [], files: [] } }))
  await renderInAdmin(<UpdatePlan p="acme" move={{ _id: 'm', state: 'planned', app: null } as Move} />)
  expect((await screen.findByText(/^例：/)).textContent).toBe(`例：${expected}`)
})

it.each([
  ['planned', UpdatePlan],
  ['accepted', UpdateResult],
] as const)('shows what differs from the source when the import is %s', async (state, Screen) => {
  answerRequests(({ path }) => ({
    body: path.includes('/documents')
      ? { documents: [], total: 0 }
      : { changes, problems, counts: [], files: [] },
  }))
  await renderInAdmin(
    <RouterContextProvider router={router as never}>
      <Screen p="acme" move={{ _id: 'm', state, app: { uid: 'blog', name: 'Blog' }, report: null } as Move} />
    </RouterContextProvider>,
  )
  expect(await screen.findByText(/3件のコンテンツは、元のサイトでは非公開/)).toBeTruthy()
  expect(screen.getByText('秘密')).toBeTruthy()
})
