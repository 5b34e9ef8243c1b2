import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '#admin/lib/api.ts'
import { type AuditObject, auditObjects } from '#shared/audit.ts'
import type { AuditFilter } from '#shared/contract/audit-log.ts'

/** What is looked for, as the address says it: days are those of the reader's clock. */
export interface AuditSearch {
  person?: string
  kind?: AuditObject
  object?: string
  outcome?: 'done' | 'refused'
  /** `2026-11-22`, both included. */
  from?: string
  to?: string
  search?: string
}

const day = /^\d{4}-\d{2}-\d{2}$/
const isDay = (text: unknown): text is string =>
  typeof text === 'string' && day.test(text) && !Number.isNaN(Date.parse(text))

/** Reads an address; what makes no sense is left out. */
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

/** Midnight of that day here, or of the one behind it. */
function midnight(text: string, daysLater = 0): string {
  const [year = 0, month = 1, date = 1] = text.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater).toISOString()
}

/** The same as the server is asked for it. */
export function filterOf({ from, to, ...search }: AuditSearch): AuditFilter {
  return { ...search, ...(from && { from: midnight(from) }), ...(to && { to: midnight(to, 1) }) }
}

/** The newest entries of a space, or of the installation (null), page by page; a page may be short and yet have one behind it. */
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
    // What was done meanwhile is on the first page: it is asked for anew whenever the page is opened.
    staleTime: 0,
    gcTime: 0,
  })

export const verifyAuditLog = (p: string) => api('GET /api/project/{p}/auditLog/verify', { params: { p } })

/** Where the browser downloads the entries of a filter. */
export function exportAddress(p: string, search: AuditSearch, format: 'csv' | 'ndjson'): string {
  const query = new URLSearchParams({ ...(filterOf(search) as Record<string, string>), format })
  return `/api/project/${encodeURIComponent(p)}/auditLog/export?${query}`
}
