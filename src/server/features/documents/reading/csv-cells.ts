import { harmless } from '#server/lib/csv.ts'
import type { Language } from '#shared/languages.ts'
import type { SystemColumn } from '#shared/views.ts'

type Status = 'draft' | 'published' | 'changed'

/**
 * Names of columns and statuses in exported tables. The CSV import recognises the statuses and the names of the columns
 * with a status or time (`archive/from/csv.ts`).
 */
export const tableWords: Record<
  Language,
  { columns: Record<SystemColumn, string>; statuses: Record<Status, string> }
> = {
  ja: {
    columns: {
      '_sys.status': 'ステータス',
      '_sys.updatedAt': '更新日時',
      '_sys.updatedBy': '更新者',
      '_sys.createdAt': '作成日時',
      '_sys.createdBy': '作成者',
      '_sys.publishedAt': '公開日時',
    },
    statuses: { draft: '下書き', published: '公開中', changed: '公開中（変更あり）' },
  },
  en: {
    columns: {
      '_sys.status': 'Status',
      '_sys.updatedAt': 'Updated at',
      '_sys.updatedBy': 'Updated by',
      '_sys.createdAt': 'Created at',
      '_sys.createdBy': 'Created by',
      '_sys.publishedAt': 'Published at',
    },
    statuses: { draft: 'Draft', published: 'Published', changed: 'Published (changed)' },
  },
}

/** Formats a value as a cell: several values on separate lines, nested values as JSON. */
export function cellText(value: unknown): string {
  if (value == null) return ''
  if (typeof value === 'string') return harmless(value)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return harmless(value.join('\n'))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * Returns a function that formats instants in the time zone:
 *
 * - `iso`: with the UTC offset, such as `2026-11-24T12:03:00+09:00`
 * - `spreadsheet`: in the form that spreadsheet programs recognise, such as `2026-11-24 12:03:00`
 */
export function timesIn(timeZone: string, form: 'iso' | 'spreadsheet'): (instant: unknown) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return (instant) => {
    const time = new Date(String(instant))
    if (Number.isNaN(time.getTime())) return cellText(instant)
    const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    // `GMT` alone is UTC. Offsets of local mean time (in Japan before 1888) have seconds, which ISO 8601 cannot
    // express.
    const [, sign, hours, minutes, seconds] = /^GMT(?:([+-])(\d\d):(\d\d)(:\d\d)?)?$/.exec(name) ?? []
    if (form === 'iso' && (!sign || seconds)) return time.toISOString()
    const distance = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds?.slice(1) ?? 0)
    const local = new Date(time.getTime() + distance * (sign === '-' ? -1000 : 1000)).toISOString()
    if (form === 'spreadsheet') return local.replace('T', ' ').replace(/\.\d+Z$/, '')
    return `${local.slice(0, -1).replace(/\.000$/, '')}${sign}${hours}:${minutes}`
  }
}
