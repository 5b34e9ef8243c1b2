import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router'
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { MovePlan } from '#shared/contract/move-plans.ts'
import type { Move } from '#shared/contract/moves.ts'
import { ContentsPlan } from './contents-plan.tsx'

afterEach(cleanup)

const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })

const plan: MovePlan = {
  source: { kind: 'csv', space: '', app: '一覧', status: 'complete', finishedAt: '2026-04-01T00:00:00Z' },
  app: { uid: 'list', name: '一覧' },
  models: [],
  customTypes: [],
  counts: { documents: 0, assets: 0, bytes: 0 },
  problems: [{ code: 'unconfirmedSource', path: '', count: 1, examples: [] }],
  leftOut: [
    { kind: 'account', name: 'users', count: 12 },
    { kind: 'secret', name: 'settings.apiKey', count: 1 },
  ],
  confirmed: false,
}

const renderPlan = (shown: MovePlan) =>
  renderInAdmin(
    <RouterContextProvider router={router as never}>
      <ContentsPlan p="acme" move={{ _id: 'm', state: 'planned', partOf: null } as Move} plan={shown} />
    </RouterContextProvider>,
  )

const start = () => screen.getByRole('button', { name: 'インポートを始める' }) as HTMLButtonElement

it('ContentsPlan starts the import of an unrecognized file after the user has confirmed the contents', async () => {
  const seen = answerRequests(() => ({ body: { success: true, plan: { ...plan, confirmed: true } } }))
  await renderPlan(plan)
  expect(start().disabled).toBe(true)
  expect(screen.getByText(/チェックを入れると、始められます/)).toBeTruthy()
  fireEvent.click(screen.getByRole('checkbox', { name: '取り込みたいコンテンツに間違いありません' }))
  expect(start().disabled).toBe(false)
  fireEvent.click(start())
  await waitFor(() =>
    expect(
      seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    ).toEqual(['PUT /api/project/acme/move/m/plan', 'POST /api/project/acme/move/m/start']),
  )
  expect(seen.find(({ method }) => method === 'PUT')?.body).toMatchObject({ data: { confirmed: true } })
})

it('ContentsPlan asks for no confirmation if the plan requires none', async () => {
  const { confirmed: _, ...known } = plan
  await renderPlan({ ...known, problems: [] })
  expect(screen.queryByRole('checkbox')).toBeNull()
  expect(start().disabled).toBe(false)
})

it('ContentsPlan lists the data that is not imported, by kind', async () => {
  await renderPlan(plan)
  expect(screen.getByRole('region', { name: '取り込まないデータ' }).textContent).toMatch(
    /アカウント.*users 12件秘密の値.*settings\.apiKey/,
  )
})
