import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { formsKey, formsQuery } from '#admin/lib/queries.ts'
import type { Submission, SubmissionDetail } from '#shared/contract/form-submissions.ts'
import type { SubmissionState } from '#shared/forms/fields.ts'
import { reloadForms } from '../forms.queries.ts'
import { type InboxTab, inboxTabs } from './inbox-search.ts'

/** Number of submissions per page. */
const pageSize = 50
/** Interval in ms at which an open inbox looks for new submissions. */
const lookEvery = 30_000

const inboxKey = (p: string, id: string) => [...formsKey(p), 'inbox', id] as const
const listKey = (p: string, id: string, tab: InboxTab) => [...inboxKey(p, id), 'list', tab] as const
const headKey = (p: string, id: string, tab: InboxTab) => [...inboxKey(p, id), 'head', tab] as const

type Counts = Record<SubmissionState, number>
interface InboxPage {
  submissions: Submission[]
  counts: Counts
  /** The `before` of the next page; undefined: the last page. Submissions may leave this page later. */
  next: string | undefined
}
type InboxPages = InfiniteData<InboxPage, string>

const queryOf = (tab: InboxTab) => (tab === 'trash' ? { trash: 'true' } : tab === 'all' ? {} : { state: tab })

async function loadPage(
  p: string,
  id: string,
  tab: InboxTab,
  { limit, before, signal }: { limit: number; before: string; signal: AbortSignal },
): Promise<InboxPage> {
  const { submissions, counts, isMore } = await api('GET /api/project/{p}/form/{id}/message', {
    params: { p, id },
    query: { ...queryOf(tab), limit, ...(before && { before }) },
    signal,
  })
  return { submissions, counts, next: isMore ? submissions.at(-1)?._id : undefined }
}

/** The submissions in one tab, newest first, page by page. The first page is polled while it is the only one. */
export const submissionsQuery = (p: string, id: string, tab: InboxTab) =>
  infiniteQueryOptions({
    queryKey: listKey(p, id, tab),
    queryFn: ({ pageParam, signal }) => loadPage(p, id, tab, { limit: pageSize, before: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) => (data?.pages.length === 1 ? lookEvery : false),
    // Otherwise a return to the browser's window would load all pages again and move the rows.
    refetchOnWindowFocus: ({ state: { data } }) => data?.pages.length === 1,
  })

/** The newest submission of a tab, and the numbers by state. Polled instead of a list with several pages. */
export const headQuery = (p: string, id: string, tab: InboxTab) =>
  queryOptions({
    queryKey: headKey(p, id, tab),
    queryFn: ({ signal }) => loadPage(p, id, tab, { limit: 1, before: '', signal }),
    refetchInterval: lookEvery,
  })

export const submissionQuery = (p: string, id: string, s: string) =>
  queryOptions({
    queryKey: [...inboxKey(p, id), 'one', s],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/form/{id}/message/{s}', { params: { p, id, s }, signal })).submission,
  })

export type InboxChange = { state: SubmissionState } | { deletedAt: string | null }

/** Returns whether a submission is shown in the tab. */
export function belongs({ state, deletedAt }: Submission, tab: InboxTab): boolean {
  if (tab === 'trash') return deletedAt !== null
  if (deletedAt !== null) return false
  return tab === 'all' ? state !== 'spam' : state === tab
}

/** Returns a page after a change: its submissions that still belong to the tab, and adjusted numbers. */
export function changePage(
  page: InboxPage,
  tab: InboxTab,
  changed: ReadonlyMap<string, Submission>,
  change: InboxChange,
): InboxPage {
  const counts = { ...page.counts }
  for (const before of changed.values()) {
    const after = { ...before, ...change }
    if (before.deletedAt === null) counts[before.state] = Math.max(0, counts[before.state] - 1)
    if (after.deletedAt === null) counts[after.state] += 1
  }
  const submissions = page.submissions
    .map((one) => (changed.has(one._id) ? { ...one, ...change } : one))
    .filter((one) => belongs(one, tab))
  return { ...page, counts, submissions }
}

/**
 * Updates the cache after submissions were changed, so that rows do not wait for a reload. `changed`: the submissions
 * before the change.
 */
export function keepChange(
  client: QueryClient,
  p: string,
  id: string,
  changed: ReadonlyMap<string, Submission>,
  change: InboxChange,
): void {
  for (const tab of inboxTabs) {
    client.setQueryData<InboxPages>(
      listKey(p, id, tab),
      (data) => data && { ...data, pages: data.pages.map((page) => changePage(page, tab, changed, change)) },
    )
    client.setQueryData<InboxPage>(
      headKey(p, id, tab),
      (page) => page && changePage(page, tab, changed, change),
    )
  }
  for (const s of changed.keys())
    client.setQueryData<SubmissionDetail>(
      submissionQuery(p, id, s).queryKey,
      (one) => one && { ...one, ...change },
    )
  // Other tabs may lack the changed submissions. They are loaded again when the user opens them.
  void client.invalidateQueries({ queryKey: inboxKey(p, id), refetchType: 'none' })
  void reloadForms(client, p)
}

/** Reloads the forms if the cached number of new submissions differs, so that the rail shows the same number. */
export function keepNewCount(client: QueryClient, p: string, id: string, count: number): void {
  const cached = client.getQueryData(formsQuery(p).queryKey)?.find(({ _id }) => _id === id)
  if (cached && cached.newSubmissions !== count) void reloadForms(client, p)
}

/** Loads the lists of an inbox again. */
export const reloadInbox = (client: QueryClient, p: string, id: string): Promise<void> =>
  client.invalidateQueries({ queryKey: inboxKey(p, id) })
