import { describe, expect, it } from 'vitest'
import { resolveField } from '#shared/fields/custom-types.ts'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { adminFieldType } from '../index.ts'
import {
  describePath,
  isList,
  issuesUnder,
  kindsOf,
  leaves,
  leftOvers,
  newItem,
  placesOf,
  withInner,
  withNewIds,
} from './items.ts'
import { readCopied } from './read-copied.ts'

const id = (number: number) => String(number).padStart(24, '0')
const field = (number: number, parts: object) => fieldSchema.parse({ _id: id(number), name: 'X', ...parts })
const types = [
  {
    _id: id(90),
    uid: 'Q&A',
    fields: [
      field(1, { uid: 'question', name: '質問', type: 'TEXT', defaultValue: '？' }),
      field(2, { uid: 'tags', name: 'タグ', type: 'TEXT', multiple: true }),
    ],
  },
  {
    _id: id(91),
    uid: 'list',
    fields: [field(3, { uid: 'items', name: '項目', type: 'CUSTOM', customType: 'Q&A', multiple: true })],
  },
]
const resolved = (parts: object) => resolveField(field(9, { uid: 'f', ...parts }), types) as Field
const one = resolved({ type: 'CUSTOM', customType: 'Q&A' })
const list = resolved({ type: 'CUSTOM', customType: 'Q&A', multiple: true })
const blocks = resolved({
  type: 'MULTI_TYPE',
  multiple: true,
  types: [{ type: 'TEXT' }, { type: 'CUSTOM', customType: 'list' }],
})
const hex = expect.stringMatching(/^[0-9a-f]{24}$/)

describe('nested items', () => {
  it('`newItem` returns default values, and an `_id` if the field is a list', () => {
    expect(newItem(one, {}, adminFieldType)).toEqual({ question: '？' })
    expect(newItem(list, {}, adminFieldType)).toEqual({ _id: hex, question: '？' })
    expect(newItem(blocks, { type: 'TEXT' }, adminFieldType)).toEqual({ _id: hex, type: 'TEXT' })
    expect([one, list, blocks].map(isList)).toEqual([false, true, true])
  })

  it('`kindsOf` returns the types of a MULTI_TYPE field, and `placesOf` returns null for an unknown type', () => {
    expect(kindsOf(one)).toBeNull()
    expect(kindsOf(blocks)?.map(({ frame }) => frame)).toEqual([{ type: 'TEXT' }, { type: 'list' }])
    expect(placesOf(blocks, { type: 'gone', data: 1 })).toBeNull()
  })

  it('`leftOvers` returns the names of values that the type of the item does not define', () => {
    const item = { _id: id(5), question: 'a', old: 'b' }
    expect(leftOvers(list, item, placesOf(list, item) ?? [])).toEqual(['old'])
  })

  it('`withInner` returns a changed copy, and omits an emptied value', () => {
    const item = { _id: id(5), question: 'a', tags: ['b'] }
    expect(withInner(item, 'tags', [])).toEqual({ _id: id(5), question: 'a' })
    expect(withInner(item, 'question', 'c')).toEqual({ ...item, question: 'c' })
    expect(item.tags).toEqual(['b'])
  })

  it('`withNewIds` returns a copy with new `_id`s of the item and of a nested item', () => {
    const item = { _id: id(1), data: { items: [{ _id: id(2), question: 'a' }] } }
    const copy = withNewIds(item)
    expect(copy).toEqual({ _id: hex, data: { items: [{ _id: hex, question: 'a' }] } })
    expect([copy._id, copy.data.items[0]?._id]).not.toEqual([id(1), id(2)])
    expect(JSON.stringify(copy)).not.toMatch(/0{23}[12]/)
  })

  it('`leaves` returns inner values in order, and `describePath` returns numbers and field names', () => {
    const item = { type: 'list', data: { items: [{ question: 'a', tags: ['b', 'c'] }] } }
    expect([...leaves(blocks, item)].map(({ value }) => value)).toEqual(['a', ['b', 'c']])
    const { way, field: innermost } = describePath(blocks, '0.data.items.0.tags.1', [item])
    expect(way).toEqual([1, '項目', 1, 'タグ', 2])
    expect(innermost.uid).toBe('tags')
    expect(describePath(blocks, '7.data.x', [item])).toEqual({ way: [8], field: blocks })
  })

  it('`issuesUnder` returns only the issues of the item, and a shared array if there are none', () => {
    const issues = [
      { path: '1.data', code: 'Required' },
      { path: '10.data.title', code: 'Required' },
    ] as const
    expect(issuesUnder(issues, '1')).toEqual([{ path: 'data', code: 'Required' }])
    expect(issuesUnder(issues, '2')).toBe(issuesUnder([], '3'))
  })
})

describe('readCopied', () => {
  const copied = (...items: object[]) =>
    JSON.stringify({ items: items.map((item, index) => ({ name: `${index}`, item })) })

  it('assigns new `_id`s, and lists items that do not fit the field in `refused`', () => {
    const text = copied(
      { _id: id(7), type: 'list', data: { items: [{ _id: id(8), question: 'a' }] } },
      { _id: id(7), type: 'NUMBER', data: 1 },
      { _id: id(7), type: 'TEXT', data: 5 },
    )
    expect(readCopied(text, blocks)).toEqual({
      items: [{ _id: hex, type: 'list', data: { items: [{ _id: hex, question: 'a' }] } }],
      refused: [
        { name: '1', issue: { path: 'type', code: 'NonExistentFieldType' } },
        { name: '2', issue: { path: 'data', code: 'InvalidType' } },
      ],
    })
    expect(text).toContain(id(8))
    expect(JSON.stringify(readCopied(text, blocks)?.items)).not.toMatch(/0{23}[78]/)
    expect(readCopied(copied({ _id: id(7), question: 'a' }), list)).toEqual({
      items: [{ _id: hex, question: 'a' }],
      refused: [],
    })
    expect(readCopied(copied({ _id: id(7), other: 'a' }), list)?.refused).toMatchObject([
      { issue: { path: 'other', code: 'UnknownField' } },
    ])
  })

  it.each(['', '{', '[]', '{"items":[]}', '{"items":[{"name":1,"item":{}}]}', '{"items":[5]}'])(
    'returns null for the text %j',
    (text) => expect(readCopied(text, list)).toBeNull(),
  )
})
