import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { csvLines } from './csv.ts'

it('csvLines writes cells that a CSV parser reads back unchanged', () => {
  const rows = [
    ['', 'a', 'い'],
    ['a,b', 'say "no"', '"'],
    ['two\nlines', 'a\r\nb', '\r'],
    [' spaces ', '\t', "'=1+1"],
  ]
  const csv = csvLines(rows)
  expect(csv.slice(0, 7)).toBe(',a,い\r\n"')
  expect(parse(csv, { record_delimiter: '\r\n' })).toEqual(rows)
  expect(csvLines([])).toBe('')
})
