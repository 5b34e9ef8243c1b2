import { harmless } from '#server/lib/csv.ts'
import { localTimesIn } from '#server/lib/local-times.ts'
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

/** Returns a function that formats instants like {@link localTimesIn}. A value that is no time is a usual cell. */
export function timesIn(timeZone: string, form: 'iso' | 'spreadsheet'): (instant: unknown) => string {
  const format = localTimesIn(timeZone, form)
  return (instant) => {
    const time = new Date(String(instant))
    return Number.isNaN(time.getTime()) ? cellText(instant) : format(time)
  }
}
