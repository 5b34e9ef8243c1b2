import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { type AuditObject, auditObjects } from '#shared/audit.ts'
import type { AuditFilter } from '#shared/contract/audit-log.ts'

/** The filters in the URL. Days are in the browser's time zone. */
export interface AuditSearch {
  person?: string
  kind?: AuditObject
  object?: string
  outcome?: 'done' | 'refused'
  /** The first day of the period, such as `2026-11-22`. `to` is the last day; both days are included. */
  from?: string
  to?: string
  search?: string
}

const day = /^\d{4}-\d{2}-\d{2}$/
const isDay = (text: unknown): text is string =>
  typeof text === 'string' && day.test(text) && !Number.isNaN(Date.parse(text))

/** Reads filters from a URL. Invalid filters are omitted. */
export function readAuditSearch(given: Record<string, unknown>): AuditSearch {
  const { person, kind, object, outcome, from, to, search } = given
  const known = auditObjects.find((one) => one === kind)
  return {
    ...(typeof person === 'string' && person && { person }),
    ...(known && { kind: known }),
    ...(typeof object === 'string' && object && { object: object.slice(0, 100) }),
    ...((outcome === 'done' || outcome === 'refused') && { outcome }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(typeof search === 'string' && search && { search: search.slice(0, 100) }),
  }
}

/**
 * Returns the start of a day in the browser's time zone, or of the day `daysLater` days later, as an ISO timestamp in
 * UTC.
 */
function midnight(text: string, daysLater = 0): string {
  const [year = 0, month = 1, date = 1] = text.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
}

/** Returns the filters as sent to the server. */
export function filterOf({ from, to, ...search }: AuditSearch): AuditFilter {
  return { ...search, ...(from && { from: midnight(from) }), ...(to && { to: midnight(to, 1) }) }
}

/**
 * Loads the entries of a space, or of the installation if `p` is null, newest first, page by page. A page may have
 * fewer entries than its limit although further pages follow.
 */
export const auditLogQuery = (p: string | null, search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: p === null ? ['installation', 'auditLog', search] : ['space', p, 'auditLog', search],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filterOf(search), limit: 50, ...(pageParam && { before: pageParam }) }
      return p === null
        ? api('GET /api/admin/auditLog', { query, signal })
        : api('GET /api/project/{p}/auditLog', { params: { p }, query, signal })
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    // New entries appear on the first page, so it is fetched whenever the page is opened.
    staleTime: 0,
    gcTime: 0,
  })

export const verifyAuditLog = (p: string) => api('GET /api/project/{p}/auditLog/verify', { params: { p } })

/** Returns the URL to download all entries that match the filters. */
export function exportAddress(p: string, search: AuditSearch, format: 'csv' | 'ndjson'): string {
  const query = new URLSearchParams({ ...(filterOf(search) as Record<string, string>), format })
  return `/api/project/${encodeURIComponent(p)}/auditLog/export?${query}`
}
