import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { cpuTime } from '#test/growth.ts'
import type { ContentApp, ContentModel } from '../model.ts'
import { deliveryList, managementList, oneDocument, parseQuery } from './parse.ts'
import type { Condition, Leaf, ParsedQuery, Value } from './tree.ts'

/** Creates a model from fields by name, each with its settings, and adds it to the app. */
function model(app: ContentApp, uid: string, fields: Record<string, object>): ContentModel {
  const list: Field[] = Object.entries(fields).map(([name, settings], index) =>
    fieldSchema.parse({ _id: index.toString(16).padStart(24, '0'), uid: name, name, ...settings }),
  )
  const made: ContentModel = {
    id: 1,
    publicId: '0'.repeat(24),
    uid,
    titleField: null,
    fields: list,
    fieldsByUid: new Map(list.map((field) => [field.uid, field])),
    conversions: [],
    app,
  }
  app.models.set(uid, made)
  return made
}
const app: ContentApp = {
  id: 1,
  uid: 'blog',
  name: 'blog',
  icon: null,
  cover: null,
  space: { id: 1, uid: 'acme', apps: new Map() },
  models: new Map(),
}
model(app, 'author', { name: { type: 'TEXT' }, slug: { type: 'TEXT' }, bio: { type: 'MARKDOWN' } })
const article = model(app, 'article', {
  a: { type: 'NUMBER' },
  b: { type: 'TEXT' },
  c: { type: 'TEXT' },
  slug: { type: 'TEXT' },
  title: { type: 'TEXT' },
  category: { type: 'TEXT' },
  tags: { type: 'TEXT', multiple: true },
  t: { type: 'TEXT', multiple: true },
  n: { type: 'NUMBER' },
  y: { type: 'NUMBER' },
  z: { type: 'TEXT' },
  cover: { type: 'TEXT' },
  done: { type: 'CHECKBOX' },
  body: { type: 'RICH_TEXT' },
  date: { type: 'DATE' },
  author: { type: 'REFERENCE', modelUid: 'author' },
  gone: { type: 'REFERENCE', modelUid: 'gone' },
})

const parse = (raw: string, options = deliveryList) => parseQuery(raw, article, options)

function show(condition: Condition): string {
  if (condition.kind === 'not') return `!${show(condition.item)}`
  if (condition.kind !== 'test') return `${condition.kind}(${condition.items.map(show).join(' ')})`
  const path = [...condition.via.map((step) => step.field.uid), name(condition.leaf)].join('.')
  const value = (item: Value) =>
    item.kind === 'span'
      ? `${item.start}..${item.end}`
      : String('text' in item ? item.text : 'number' in item ? item.number : item.boolean)
  switch (condition.operator) {
    case 'exists':
      return `${path} exists`
    case 'match':
      return `${path} match "${condition.text}"`
    case 'eq':
    case 'in':
    case 'all':
      return `${path} ${condition.operator} ${condition.values.map(value).join('|')}`
    default:
      return `${path} ${condition.operator} ${value(condition.value)}`
  }
}
const name = (leaf: Leaf) => (leaf.kind === 'field' ? leaf.field.uid : leaf.name)
const where = (raw: string, options = deliveryList) => show(parse(raw, options).where)

function message(raw: string, options = deliveryList): string {
  try {
    parse(raw, options)
  } catch (error) {
    if (error instanceof AppError && error.code === 'InvalidQueryParameter') return error.message
    throw error
  }
  return 'accepted'
}

/** Encodes an `[or]` like URLSearchParams in newt-client-js. */
const or = (group: string) => new URLSearchParams([['[or]', group]]).toString()

describe('query strings of newt-client-js', () => {
  test.each([
    ['slug=hello%20world', 'and(slug eq hello world)'],
    ['slug=a+b', 'and(slug eq a+b)'],
    [
      '_sys.createdAt%5Bgt%5D=2021-09-01&category=news',
      'and(_sys.createdAt gt 2021-09-01T00:00:00.000Z..2021-09-02T00:00:00.000Z category eq news)',
    ],
    ['tags%5Bin%5D=a%2Cb&n%5Bnin%5D=1%2C2&t%5Ball%5D=x%2Cy', 'and(tags in a|b !n in 1|2 t all x|y)'],
    [
      'title[ne]=%E3%81%82&title[match]=%E3%82%A2%E3%83%83%E3%83%97&cover[exists]=false',
      'and(!title eq あ title match "アップ" !cover exists)',
    ],
    ['y=&z=', 'and(!y exists !z exists)'],
    [
      `limit=1&${or('(title[match]=x;a=1&[or]=(b=x;c=y))')}`,
      'and(or(title match "x" and(a eq 1 or(b eq x c eq y))))',
    ],
    [`${or('(a=1;b=2)')}&${or('(c=3;slug=4)')}`, 'and(or(a eq 1 b eq 2) or(c eq 3 slug eq 4))'],
    [or('(title[match]=a b;b=+)'), 'and(or(title match "a b" b eq +))'],
    ['tags=a&tags=b', 'and(tags eq a tags eq b)'],
  ])('are parsed: %s', (raw, expected) => expect(where(raw)).toBe(expected))

  test('set list parameters, or leave them at their defaults', () => {
    const query = parse(
      'select=title%2Cauthor.name&order=-_sys.createdAt%2Ctitle&limit=10&skip=20&depth=2&body%5Bfmt%5D=text',
    )
    expect(query).toMatchObject({ limit: 10, skip: 20, depth: 2 } satisfies Partial<ParsedQuery>)
    expect(query.order.map(({ leaf, descending }) => [name(leaf), descending])).toEqual([
      ['_sys.createdAt', true],
      ['title', false],
    ])
    expect([...(query.select?.fields.keys() ?? [])]).toEqual(['title', 'author'])
    expect([...query.formats]).toEqual([['body', 'text']])
    expect(parse('')).toMatchObject({ limit: 100, skip: 0, depth: 1, select: null, search: [] })
    expect(parse('').order).toEqual([{ leaf: { kind: 'system', name: '_sys.createdAt' }, descending: true }])
    expect(name(parse('', managementList).order[0]!.leaf)).toBe('_sys.updatedAt')
    expect(parse('search=%E6%9D%B1%E4%BA%AC%E3%80%80%EF%BC%A1').search).toEqual(['東京', 'a'])
  })
})

describe('query strings written by hand', () => {
  test.each([
    ['[or]=(a=1;b=2)', 'and(or(a eq 1 b eq 2))'],
    ['or=(a=1;b=2)', 'and(or(a eq 1 b eq 2))'],
    ['%5Bor%5D=%28a%3D1%3Bb%3D2%29', 'and(or(a eq 1 b eq 2))'],
    [
      'limit=5&[or]=(a=1&b=2;c=3&[or]=(b=x;c=y))&skip=1',
      'and(or(and(a eq 1 b eq 2) and(c eq 3 or(b eq x c eq y))))',
    ],
    ['[or]=(or=(a=1;b=2);c=3)', 'and(or(or(a eq 1 b eq 2) c eq 3))'],
    ['[or]=(a=1)', 'and(a eq 1)'],
    ['&&slug=a&', 'and(slug eq a)'],
    ['slug', 'and(!slug exists)'],
    // raw UTF-8, in the form in which Node passes it on
    [`title=${Buffer.from('東京').toString('latin1')}`, 'and(title eq 東京)'],
  ])('are accepted: %s', (raw, expected) => expect(where(raw)).toBe(expected))
})

describe('text that looks like query syntax', () => {
  test.each([
    ['(title[match]=a;b;c=3)', 'or(title match "a;b" c eq 3)'],
    ['(title[match]=R&D;c=3)', 'or(title match "r&d" c eq 3)'],
    ['(title[match]=foo(bar);c=3)', 'or(title match "foo(bar)" c eq 3)'],
    ['(title[match]=:);c=3)', 'or(title match ":)" c eq 3)'],
    ['(title[match]=:();c=(3)', 'or(title match ":()" c eq (3)'],
    ['(a=1&[or]=(b=x(;c=y);c=z)', 'or(and(a eq 1 or(b eq x( c eq y)) c eq z)'],
    ['(a=1&[or]=(b=(x);c=y);c=z)', 'or(and(a eq 1 or(b eq (x) c eq y)) c eq z)'],
    ['(title=a=b;c=3)', 'or(title eq a=b c eq 3)'],
    ['(title=100%;c=%41)', 'or(title eq 100% c eq %41)'],
  ])('stays text: %s', (group, expected) => expect(where(or(group))).toBe(`and(${expected})`))
})

describe('values in a query string', () => {
  test.each([
    ['date=2023', 'date eq 2023-01-01T00:00:00.000Z..2024-01-01T00:00:00.000Z'],
    ['date=2023-10', 'date eq 2023-10-01T00:00:00.000Z..2023-11-01T00:00:00.000Z'],
    ['date[gte]=2021-12-01', 'date gte 2021-12-01T00:00:00.000Z..2021-12-02T00:00:00.000Z'],
    ['date=2021-12-31T23:59', 'date eq 2021-12-31T23:59:00.000Z..2022-01-01T00:00:00.000Z'],
    ['date=2021-12-31T23:59:59%2B09:00', 'date eq 2021-12-31T14:59:59.000Z..2021-12-31T15:00:00.000Z'],
    ['date=2021-12-31T23:59:59.5Z', 'date eq 2021-12-31T23:59:59.500Z..2021-12-31T23:59:59.501Z'],
    ['date=9999', 'date eq 9999-01-01T00:00:00.000Z..null'],
    ['date=0001-01-01', 'date eq 0001-01-01T00:00:00.000Z..0001-01-02T00:00:00.000Z'],
    ['date=09:30', 'date eq 1970-01-01T09:30:00.000Z..1970-01-01T09:31:00.000Z'],
    [
      'date[in]=2023,2020-02-29',
      'date in 2023-01-01T00:00:00.000Z..2024-01-01T00:00:00.000Z|2020-02-29T00:00:00.000Z..2020-03-01T00:00:00.000Z',
    ],
    ['n=-0', 'n eq 0'],
    ['n[gt]=1e3', 'n gt 1000'],
    ['n[lte]=-.5', 'n lte -0.5'],
    ['done=true', 'done eq true'],
    ['slug[in]=a,,a', 'or(slug in a !slug exists)'],
    ['slug[in]=', '!slug exists'],
    ['slug[ne]=', '!!slug exists'],
    ['slug[exists]=true', 'slug exists'],
    ['t[all]=x', 't eq x'],
    ['title[match]=', 'and()'],
    ['author.slug=x', 'author.slug eq x'],
    ['author.slug[ne]=x', '!author.slug eq x'],
    ['author._id=00000000000000000000000a', 'author._id eq 00000000000000000000000a'],
    ['author=', '!author exists'],
    ['_sys.raw.firstPublishedAt[exists]=true', '_sys.raw.firstPublishedAt exists'],
    ['_sys.customOrder[gte]=1.5', '_sys.customOrder gte 1.5'],
  ])('result in the expected condition: %s', (raw, expected) => expect(where(raw)).toBe(`and(${expected})`))

  test('may be a status or a creator in the management list, but not a status in a delivery list', () => {
    expect(where('_sys.status[in]=draft,changed', managementList)).toBe('and(_sys.status in draft|changed)')
    expect(where(`_sys.createdBy=${'a'.repeat(24)}`, managementList)).toBe(
      `and(_sys.createdBy eq ${'a'.repeat(24)})`,
    )
    expect(message('_sys.status=draft')).toMatch(/^_sys\.status: /)
    expect(message('depth=1', managementList)).toMatch(/^depth: /)
  })
})

describe('an invalid query string', () => {
  test.each([
    ['date=2023-13', 'date: '],
    ['date=2023-02-29', 'date: '],
    ['date=0000', 'date: '],
    ['date=2023-01-01T24:00', 'date: '],
    ['date=2023-01-01T00:00%2B15:00', 'date: '],
    ['date=9999-12-31T23:59:59-01:00', 'date: '],
    ['date=20230101', 'date: '],
    ['date[gt]=', 'date[gt]: '],
    ['n=0x10', 'n: '],
    ['n=1 000', 'n: '],
    ['n=９', 'n: '],
    ['done=', 'done: '],
    ['done=1', 'done: '],
    ['done[gt]=true', 'done[gt]: '],
    ['author=ABCDEFABCDEFABCDEFABCDEF', 'author: '],
    ['author[match]=x', 'author[match]: '],
    ['author[gt]=00000000000000000000000a', 'author[gt]: '],
    ['slug[all]=x', 'slug[all]: '],
    ['tags[gt]=x', 'tags[gt]: '],
    ['body[lt]=x', 'body[lt]: '],
    ['n[match]=1', 'n[match]: '],
    ['gone.x=1', 'gone.x: '],
    ['a[exists]=yes', 'a[exists]: '],
    ['slug=a&slug=b', 'slug: '],
    ['limit=1&limit=1', 'limit: '],
    ['select=a&select=b', 'select: '],
    ['select=', 'select=: '],
    ['select=_sys.', 'select=_sys.: '],
    ['select=title.x', 'select=title.x: '],
    ['order=tags', 'order=tags: '],
    ['order=author', 'order=author: '],
    ['order=author.name', 'order=author.name: '],
    ['order=', 'order=: '],
    ['a[gt][lt]=1', 'a[gt][lt]: '],
    ['[gt]=1', '[gt]: '],
    ['a[=1', 'a[: '],
    ['fmt=text', 'fmt: '],
    ['[or]=(a=1;)', 'a: '],
    ['[or]=(slug=a&slug=b;a=1)', 'slug: '],
    ['[or]=(x.y=1)', 'x.y: '],
    ['[or]=a=1', '[or]: '],
    ['[or]=(a=1', '[or]: '],
    [or(`${'([or]='.repeat(5)}(a=1)${')'.repeat(5)}`), '[or]: '],
    [or(`(${Array(51).fill('b=1').join(';')})`), 'b: '],
    ['a'.repeat(300), `${'a'.repeat(100)}…: `],
  ])('is rejected with the name of the invalid part: $0', (raw, start) =>
    expect(message(raw.replaceAll('９', '%EF%BC%99'))).toMatch(startsWith(start)),
  )

  test('filters and list parameters are rejected in a request for a single document', () => {
    expect(message('select=title&depth=2&body[fmt]=text', oneDocument)).toBe('accepted')
    for (const raw of ['slug=a', 'limit=1', 'order=a', '[or]=(a=1)', 'search=x'])
      expect(message(raw, oneDocument)).not.toBe('accepted')
  })

  test('hostile query strings of tens of thousands of characters each take less than 100 ms of CPU time', () => {
    const long = [
      '('.repeat(60_000),
      `[or]=${'('.repeat(60_000)}`,
      `[or]=(${'a=1;'.repeat(15_000)}`,
      `[or]=(a=${';'.repeat(60_000)})`,
      `[or]=(a=${';aaaa'.repeat(12_000)})`,
      '[or]=('.repeat(9_000),
      `${'[or]=(&'.repeat(9_000)}`,
      '&'.repeat(64_000),
      '%28'.repeat(20_000),
      `a${'[a]'.repeat(20_000)}=1`,
      `order=${'a,'.repeat(30_000)}`,
      `select=${'author.'.repeat(9_000)}`,
      `${'author.'.repeat(9_000)}=1`,
    ]
    for (const raw of long) {
      let said = ''
      const read = () => {
        said = message(raw)
      }
      // The minimum of several runs excludes pauses of the garbage collector.
      const times = Array.from({ length: 3 }, () => cpuTime(read))
      expect(Math.min(...times), raw.slice(0, 20)).toBeLessThan(100)
      expect(said, raw.slice(0, 20)).not.toBe(raw.startsWith('&') ? 'x' : 'accepted')
    }
  })
})

const startsWith = (text: string) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)
