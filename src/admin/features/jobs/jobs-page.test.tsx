import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { JobProgress } from '#admin/ui/job-progress.tsx'
import { ModalHost } from '#admin/ui/modal-host.tsx'
import type { InstallationJob } from '#shared/contract/jobs.ts'
import { installationJobs } from './jobs.queries.ts'
import { Jobs } from './jobs-page.tsx'

afterEach(cleanup)

const base: InstallationJob = {
  _id: 'a'.repeat(24),
  name: 'documents.purgeTrash',
  state: 'running',
  progress: { done: 1200, total: 4000, unit: 'items' },
  secondsLeft: 125,
  cancelRequested: false,
  failures: 0,
  error: null,
  createdAt: '2026-11-21T00:00:00.000Z',
  runAt: '2026-11-21T00:00:00.000Z',
  startedAt: '2026-11-21T00:00:00.000Z',
  finishedAt: null,
  requestedBy: null,
  space: null,
}
const failed: InstallationJob = {
  ...base,
  _id: 'b'.repeat(24),
  name: 'unknown.toThisAdmin',
  state: 'failed',
  progress: null,
  failures: 10,
  error: { code: 'StorageFull', message: 'StorageFull' },
  space: { uid: 'acme', name: '花の出版' },
  requestedBy: { _id: 'c'.repeat(24), name: '山田花子' },
}

const noCounts = { waiting: 0, running: 0, done: 0, failed: 0, stopped: 0, cancelled: 0 }

function serve(jobs: InstallationJob[], counts: Partial<typeof noCounts>) {
  return answerRequests(({ method, path }) =>
    path === '/api/auth/csrfToken'
      ? { body: { csrfToken: 'token' } }
      : method === 'POST'
        ? { body: { job: jobs[0] } }
        : { body: { jobs, total: jobs.length, counts: { ...noCounts, ...counts } } },
  )
}

describe('the Jobs page', () => {
  it('shows a running and a failed job, and retries the failed job', async () => {
    const seen = serve([base, failed], { running: 1, failed: 1 })
    await renderInAdmin(<Jobs source={installationJobs} />)
    const bar = await screen.findByRole('progressbar', { name: 'ゴミ箱の整理の進み具合' })
    expect(bar.getAttribute('aria-valuenow')).toBe('30')
    expect(screen.getByText('1,200 / 4,000件')).toBeTruthy()
    expect(screen.getByText('残り約2分')).toBeTruthy()
    const item = screen.getByText('unknown.toThisAdmin').closest('li') as HTMLElement
    expect(within(item).getByText('花の出版')).toBeTruthy()
    expect(within(item).getByText('山田花子さんが開始')).toBeTruthy()
    expect(item.textContent).toContain('10回失敗しました')
    fireEvent.click(within(item).getByRole('button', { name: '「unknown.toThisAdmin」をもう一度実行する' }))
    await waitFor(() => expect(seen.map(({ path }) => path)).toContain(`/api/admin/jobs/${failed._id}/retry`))
  })

  it('asks for confirmation before it cancels a job', async () => {
    const seen = serve([base], { running: 1 })
    await renderInAdmin(
      <>
        <Jobs source={installationJobs} />
        <ModalHost />
      </>,
    )
    fireEvent.click(await screen.findByRole('button', { name: '「ゴミ箱の整理」を中止する' }))
    const dialog = await screen.findByRole('dialog', { name: 'ジョブの中止' })
    expect(seen.some(({ method }) => method === 'POST')).toBe(false)
    fireEvent.click(within(dialog).getByRole('button', { name: '中止する' }))
    await waitFor(() => expect(seen.map(({ path }) => path)).toContain(`/api/admin/jobs/${base._id}/cancel`))
  })

  it('labels the actions of an import "pause" and "resume"', async () => {
    serve([{ ...base, name: 'moves.import' }], { running: 1 })
    const { unmount } = await renderInAdmin(
      <>
        <Jobs source={installationJobs} />
        <ModalHost />
      </>,
    )
    fireEvent.click(await screen.findByRole('button', { name: '「ファイルのインポート」を中断する' }))
    const dialog = await screen.findByRole('dialog', { name: '中断' })
    expect(within(dialog).getByText(/あとで続きから再開できます/)).toBeTruthy()
    unmount()
    serve([{ ...base, name: 'moves.import', state: 'cancelled' }], { cancelled: 1 })
    await renderInAdmin(<Jobs source={installationJobs} />)
    const item = (await screen.findByText('ファイルのインポート')).closest('li') as HTMLElement
    expect(within(item).getByText('中断')).toBeTruthy()
    within(item).getByRole('button', { name: '「ファイルのインポート」を続きから再開する' })
  })

  it('loads jobs page by page, and shows a job once if the next page contains it again', async () => {
    const job = (number: number) => ({
      ...failed,
      _id: String(number).padStart(24, '0'),
      name: `test.${number}`,
    })
    const pages: Record<string, InstallationJob[]> = {
      '0': Array.from({ length: 50 }, (_, at) => job(at)),
      '50': Array.from({ length: 50 }, (_, at) => job(49 + at)),
      '100': [job(99)],
    }
    answerRequests(({ path }) => {
      const skip = new URL(path, 'http://localhost').searchParams.get('skip') ?? ''
      return { body: { jobs: pages[skip], total: 101, counts: { ...noCounts, failed: 101 } } }
    })
    await renderInAdmin(<Jobs source={installationJobs} />)
    const list = await screen.findByRole('list', { name: 'ジョブ' })
    expect(list.children).toHaveLength(50)
    fireEvent.click(screen.getByRole('button', { name: 'さらに表示する' }))
    await waitFor(() => expect(list.children).toHaveLength(99))
    fireEvent.click(await screen.findByRole('button', { name: 'さらに表示する' }))
    await waitFor(() => expect(list.children).toHaveLength(100))
    expect(screen.queryByRole('button', { name: 'さらに表示する' })).toBeNull()
  })

  it('offers one filter for cancelled jobs and paused imports', async () => {
    const seen = serve([{ ...base, name: 'moves.import', state: 'cancelled' }], { cancelled: 1 })
    await renderInAdmin(<Jobs source={installationJobs} />)
    fireEvent.click(await screen.findByRole('radio', { name: '中止・中断 1' }))
    await waitFor(() => expect(seen.at(-1)?.path).toContain('state=cancelled'))
    expect(await screen.findByText('ファイルのインポート')).toBeTruthy()
  })

  it('filters failed jobs, and shows a message if there are no jobs', async () => {
    const seen = serve([failed], { failed: 1 })
    const { unmount } = await renderInAdmin(<Jobs source={installationJobs} />)
    fireEvent.click(await screen.findByRole('radio', { name: '失敗 1' }))
    await waitFor(() => expect(seen.at(-1)?.path).toBe('/api/admin/jobs?state=failed&skip=0&limit=50'))
    unmount()
    serve([], {})
    await renderInAdmin(<Jobs source={installationJobs} />, 'en')
    expect(await screen.findByText('There are no jobs')).toBeTruthy()
  })
})

describe('the Jobs page with stopped jobs', () => {
  const stopped: InstallationJob = {
    ...failed,
    state: 'stopped',
    error: { code: 'InternalServerError', message: 'InternalServerError', culprit: 'article/5f3a', times: 3 },
  }
  const interrupted: InstallationJob = {
    ...failed,
    _id: 'd'.repeat(24),
    state: 'stopped',
    error: { code: 'JobInterrupted', message: '' },
  }

  it('shows why each job stopped, and the item that a job was processing', async () => {
    serve([stopped, interrupted], { stopped: 2 })
    await renderInAdmin(<Jobs source={installationJobs} />)
    expect(await screen.findByText(/同じ理由で3回失敗したため、停止しました：/)).toBeTruthy()
    expect(screen.getByText(/処理していたもの：article\/5f3a/)).toBeTruthy()
    expect(screen.getByText(/実行中にサーバーが2回停止したなど/)).toBeTruthy()
    expect(screen.getByText('停止 2')).toBeTruthy()
    expect(screen.getAllByRole('button', { name: /もう一度実行する/ })).toHaveLength(2)
  })
})

describe('JobProgress', () => {
  it.each([
    [{ done: 3 * 1024 * 1024, total: 12 * 1024 * 1024, unit: 'bytes' as const }, '3 MB / 12 MB'],
    [{ done: 1500, total: 2000, unit: 'share' as const }, '75%'],
    [{ done: 5, total: 10, unit: 'items' as const }, '5 / 10件'],
  ])("shows the progress in the job's unit: %o", async (progress, told) => {
    await renderInAdmin(
      <JobProgress job={{ progress, secondsLeft: null, cancelRequested: false }} label="取り込み" />,
    )
    expect(screen.getByText(told)).toBeTruthy()
  })

  it('shows no percentage without a total, and no estimate while the job is being cancelled', async () => {
    await renderInAdmin(
      <JobProgress
        job={{ progress: { done: 5, total: null, unit: 'items' }, secondsLeft: null, cancelRequested: false }}
        label="取り込み"
      />,
    )
    const bar = screen.getByRole('progressbar')
    expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuetext')]).toEqual([null, '5件'])
    expect(screen.queryByRole('button')).toBeNull()
    cleanup()
    await renderInAdmin(
      <JobProgress
        job={{ progress: null, secondsLeft: 3, cancelRequested: true }}
        label="取り込み"
        onCancel={() => {}}
      />,
    )
    expect(screen.getByText('中止しています')).toBeTruthy()
    expect(screen.queryByText(/残り/)).toBeNull()
    expect(screen.queryByRole('button')).toBeNull()
  })
})
