import { expect, test } from 'vitest'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { Field } from '#shared/fields/index.ts'
import type { ViewType } from '#shared/views.ts'
import { allColumns, shownColumns } from './list-columns.ts'
import { exportUrl, type ListFile } from './list-file.ts'

const field = (uid: string, type: string, more = {}) =>
  ({ _id: uid, uid, name: uid, type, description: '', multiple: false, ...more }) as unknown as Field
const model = {
  titleField: 'title',
  fields: [
    field('title', 'TEXT'),
    field('day', 'DATE', { inputType: 'date' }),
    field('until', 'DATE', { inputType: 'date' }),
    field('price', 'NUMBER'),
  ],
}

function selected(settings: ViewSettings, type: ViewType = 'TABLE', file: ListFile = 'csv', query = '') {
  const all = allColumns(model)
  const columns = { all, shown: shownColumns(all, settings.columns ?? [{ id: '_sys.status' }]) }
  const url = exportUrl(file, { model, place: { p: 'a', a: 'b', m: 'c' }, type, settings, query, columns })
  const { pathname, searchParams } = new URL(url, 'https://cms.example')
  return { pathname, ...Object.fromEntries(searchParams) }
}

test('exportUrl selects the shown columns, and the date fields of the order, the filters and the calendar', () => {
  const pathname = '/api/project/a/app/b/model/c/doc/export.csv'
  expect(selected({})).toEqual({ pathname, select: 'title,_sys.status' })
  expect(selected({ sort: '-day' })).toMatchObject({ select: 'title,_sys.status,day' })
  expect(selected({ sort: 'title' })).toMatchObject({ select: 'title,_sys.status' })
  expect(
    selected({
      filters: [
        { group: [{ field: '_sys.createdAt', op: 'within', value: 'thisMonth' }] },
        { field: 'until', op: 'since', value: '2026-01-01' },
        { field: 'price', op: 'gt', value: '1' },
      ],
    }),
  ).toMatchObject({ select: 'title,_sys.status,until,_sys.createdAt' })
  expect(selected({}, 'CALENDAR')).toMatchObject({ select: 'title,_sys.status,day', order: 'day' })
  expect(selected({ date: '_sys.publishedAt' }, 'CALENDAR')).toMatchObject({
    select: 'title,_sys.status,_sys.publishedAt',
    order: '_sys.raw.publishedAt',
  })
  expect(selected({ date: 'until' }, 'CALENDAR', 'json', 'order=-title&search=a%20b')).toEqual({
    pathname: pathname.replace('.csv', '.json'),
    search: 'a b',
    order: '-title',
    select: 'title,_sys.status,until',
  })
  expect(selected({}, 'TABLE', 'csvWithUids')).toMatchObject({ pathname, _headings: 'uids' })
})
