import { expect, it } from 'vitest'
import type { Model } from '#shared/contract/models.ts'
import { innerPaths, type ListModel, onlyPaths } from './list-fields.ts'
import { listQuery } from './list-query.ts'
import { readListSearch } from './list-search.ts'

const field = (uid: string, type: string, more: object = {}) => ({
  _id: uid.padEnd(24, '0'),
  uid,
  name: uid,
  description: '',
  required: false,
  multiple: false,
  unique: false,
  type,
  ...more,
})
const model = {
  fields: [
    field('title', 'TEXT', { inputType: 'inputText' }),
    field('price', 'NUMBER'),
    field('day', 'DATE', { inputType: 'date' }),
    field('tags', 'TEXT', { multiple: true }),
  ],
} as unknown as Model

const query = (search: Parameters<typeof listQuery>[1]) => [
  ...new URLSearchParams(listQuery(model, search, 'me')),
]

it('listQuery returns an empty query for empty settings', () => {
  expect(query({})).toEqual([])
})

it('listQuery combines search, status, own documents, filters and order', () => {
  expect(
    query({
      q: '春',
      status: 'changed',
      mine: true,
      sort: '-price',
      filters: [
        { field: 'title', op: 'match', value: 'a&b=c' },
        { field: 'title', op: 'ne', value: 'x' },
        { field: 'price', op: 'gte', value: '100' },
        { field: 'tags', op: 'empty', value: '' },
      ],
    }),
  ).toEqual([
    ['search', '春'],
    ['_sys.status', 'changed'],
    ['_sys.createdBy', 'me'],
    ['title[match]', 'a&b=c'],
    ['title[ne]', 'x'],
    ['price[gte]', '100'],
    ['tags[exists]', 'false'],
    ['order', '-price'],
  ])
})

it('without a space zone, listQuery starts days in UTC for date fields and in local time for timestamps', () => {
  expect(query({ filters: [{ field: 'day', op: 'on', value: '2026-02-28' }] })).toEqual([
    ['day[gte]', '2026-02-28T00:00:00.000Z'],
    ['day[lt]', '2026-03-01T00:00:00.000Z'],
  ])
  expect(query({ filters: [{ field: '_sys.publishedAt', op: 'since', value: '2026-02-28' }] })).toEqual([
    ['_sys.raw.publishedAt[gte]', new Date(2026, 1, 28).toISOString()],
  ])
})

it('listQuery omits invalid conditions and orders', () => {
  expect(
    query({
      sort: 'gone',
      filters: [
        { field: 'gone', op: 'eq', value: 'x' },
        { field: 'price', op: 'match', value: 'x' },
        { field: 'title', op: 'match', value: ' ' },
        { field: 'day', op: 'on', value: 'tomorrow' },
      ],
    }),
  ).toEqual([])
  expect(query({ sort: 'tags' })).toEqual([])
})

it('readListSearch ignores invalid properties, and raises a column width below the minimum', () => {
  expect(
    readListSearch({
      q: 5,
      status: 'hidden',
      mine: 'true',
      sort: '-title; drop',
      filters: '[{"field":"title","op":"match","value":"x"},{"field":1},{"field":"a","op":"__proto__"},null]',
    }),
  ).toEqual({ mine: true, filters: [{ field: 'title', op: 'match', value: 'x' }] })
  expect(readListSearch({ filters: '{' })).toEqual({})
  expect(
    readListSearch({
      view: 'all; drop',
      filters: [{ group: [{ field: 'a', op: 'eq', value: 'x' }, 5] }, { group: [] }],
      columns: [{ id: 'a', width: 5, sticky: 'yes' }, { id: '../b' }],
      month: '2026-13',
    }),
  ).toEqual({
    filters: [{ group: [{ field: 'a', op: 'eq', value: 'x' }] }],
    columns: [{ id: 'a', width: 60 }],
  })
})

it('listQuery joins a group by OR if the other conditions are joined by AND, and vice versa', () => {
  const condition = (value: string) => ({ field: 'title', op: 'eq', value }) as const
  const group = { group: [condition('b'), condition('c')] }
  expect(query({ filters: [condition('a'), group] })).toEqual([
    ['title', 'a'],
    ['[or]', '(title=b;title=c)'],
  ])
  expect(query({ any: true, filters: [condition('a'), group] })).toEqual([
    ['[or]', '(title=a;title=b&title=c)'],
  ])
  // An incomplete condition is not an alternative. Otherwise the list would match everything.
  expect(query({ any: true, filters: [condition('a'), condition(' ')] })).toEqual([['title', 'a']])
})

it('without a space zone, listQuery starts periods in UTC for date fields and locally for timestamps', () => {
  const now = new Date(2026, 0, 31, 23, 30)
  const within = (field: string, value: string) => [
    ...new URLSearchParams(listQuery(model, { filters: [{ field, op: 'within', value }] }, 'x', now)),
  ]
  expect(within('day', 'last7Days')).toEqual([
    ['day[gte]', '2026-01-25T00:00:00.000Z'],
    ['day[lt]', '2026-02-01T00:00:00.000Z'],
  ])
  expect(within('_sys.createdAt', 'nextMonth')).toEqual([
    ['_sys.createdAt[gte]', new Date(2026, 1, 1).toISOString()],
    ['_sys.createdAt[lt]', new Date(2026, 2, 1).toISOString()],
  ])
  expect(within('day', 'thisYear')).toEqual([
    ['day[gte]', '2026-01-01T00:00:00.000Z'],
    ['day[lt]', '2027-01-01T00:00:00.000Z'],
  ])
  expect(within('day', 'someday')).toEqual([])
})

it('listQuery replaces "me" by the id of the current account', () => {
  const by = (value: string) => query({ filters: [{ field: '_sys.updatedBy', op: 'ne', value }] })
  expect(by('me')).toEqual([['_sys.updatedBy[ne]', 'me']])
  expect(
    listQuery(model, { filters: [{ field: '_sys.createdBy', op: 'eq', value: 'me' }] }, 'somebody'),
  ).toBe('_sys.createdBy=somebody')
})

it('listQuery resolves nested paths and reference paths if models and custom types are known', () => {
  const named = (one: ReturnType<typeof field>, name: string) => ({ ...one, name })
  const listed = {
    fields: [
      named(
        field('sections', 'MULTI_TYPE', {
          multiple: true,
          types: [
            { type: 'CUSTOM', customType: 'hero' },
            { type: 'CUSTOM', customType: 'faq' },
            { type: 'NUMBER' },
          ],
        }),
        '本文',
      ),
      named(field('seo', 'CUSTOM', { customType: 'hero' }), '検索'),
      named(field('author', 'REFERENCE', { modelUid: 'person' }), '著者'),
    ],
    surroundings: {
      models: [
        {
          uid: 'person',
          fields: [
            named(field('name', 'TEXT'), '名前'),
            named(field('friend', 'REFERENCE', { modelUid: 'person' }), '友人'),
          ],
        },
      ],
      customTypes: [
        {
          uid: 'hero',
          fields: [
            named(field('title', 'TEXT'), '見出し'),
            named(field('day', 'DATE', { inputType: 'date' }), '日'),
          ],
        },
        { uid: 'faq', fields: [named(field('title', 'NUMBER'), '質問')] },
      ],
    },
  } as unknown as ListModel
  const filters = [
    { field: 'sections.data.title', op: 'match', value: '夏' },
    { field: 'sections.data.title', op: 'gt', value: '3' },
    { field: 'sections.data.day', op: 'on', value: '2026-11-21' },
    { field: 'author.friend.name', op: 'eq', value: '空' },
    { field: 'author.gone', op: 'eq', value: 'x' },
  ] as const
  const asked = (of: ListModel, sort: string) => [
    ...new URLSearchParams(listQuery(of, { filters: [...filters], sort }, 'me')),
  ]
  expect(asked(listed, '-seo.title')).toEqual([
    ['sections.data.title[match]', '夏'],
    ['sections.data.title[gt]', '3'],
    ['sections.data.day[gte]', '2026-11-21T00:00:00.000Z'],
    ['sections.data.day[lt]', '2026-11-22T00:00:00.000Z'],
    ['author.friend.name', '空'],
    ['order', '-seo.title'],
  ])
  for (const sort of ['sections.data.title', 'author.name', 'seo'])
    expect(asked(listed, sort).some(([name]) => name === 'order')).toBe(false)
  expect(asked({ fields: listed.fields }, 'seo.title')).toEqual([])
  expect(innerPaths(listed).map(({ path, names }) => `${path}: ${names.join(' › ')}`)).toEqual([
    'sections.data.title: 本文 › 見出し／質問',
    'sections.data.day: 本文 › 日',
    'sections.data: 本文 › ',
    'seo.title: 検索 › 見出し',
    'seo.day: 検索 › 日',
    'author.name: 著者 › 名前',
    'author.friend: 著者 › 友人',
  ])
  // Only paths with at most one value in the document itself can be columns.
  expect(onlyPaths(listed).map(({ path }) => path)).toEqual(['seo.title', 'seo.day'])
})
