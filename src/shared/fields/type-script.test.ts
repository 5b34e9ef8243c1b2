import { expect, it } from 'vitest'
import { type Field, fieldSchema, fieldTypeNames, typeOf } from './index.ts'
import { typeScriptOf } from './type-script.ts'

let last = 0
const field = (uid: string, type: string, more: object = {}): Field =>
  fieldSchema.parse({ _id: (++last).toString(16).padStart(24, '0'), uid, name: uid, type, ...more })
const named = (uid: string, name: string, fields: Field[]) => ({
  _id: (++last).toString(16).padStart(24, '0'),
  uid,
  name,
  fields,
})

it('typeScriptOf returns the type of a model and of the models and custom types that it refers to', () => {
  const author = named('author', '著者 */\n花子', [
    field('name', 'TEXT'),
    field('best', 'REFERENCE', { modelUid: 'blog-posts' }),
  ])
  const post = named('blog-posts', '記事', [
    field('title', 'TEXT'),
    field('tags', 'TEXT', { multiple: true }),
    field('body', 'RICH_TEXT'),
    field('count', 'NUMBER'),
    field('day', 'DATE'),
    field('pinned', 'CHECKBOX'),
    field('kind', 'SELECT', { options: [{ value: 'a' }, { value: 'it\'s "b"' }] }),
    field('sizes', 'SELECT', { multiple: true, valueType: 'number', options: [{ value: 1 }, { value: 2 }] }),
    field('size', 'SELECT', { valueType: 'number' }),
    field('og-image', 'IMAGE'),
    field('place', 'MAP'),
    field('icon', 'EMOJI'),
    field('files', 'FILE', { multiple: true }),
    field('author', 'REFERENCE', { modelUid: 'author' }),
    field('related', 'REFERENCE', { modelUid: 'blog-posts', multiple: true }),
    field('lead', 'CUSTOM', { customType: 'Q&A' }),
    field('faq', 'CUSTOM', { customType: 'Q&A', multiple: true }),
    field('sections', 'MULTI_TYPE', {
      multiple: true,
      types: [{ type: 'TEXT' }, { type: 'IMAGE' }, { type: 'CUSTOM', customType: 'Q&A' }],
    }),
    field('one', 'MULTI_TYPE', { types: [{ type: 'NUMBER' }] }),
    field('none', 'MULTI_TYPE', { multiple: true }),
  ])
  const types = [named('Q&A', '質問', [field('q', 'TEXT')]), named('unused', '', [])]
  expect(
    typeScriptOf('blog-posts', { models: [author, post], customTypes: types }),
  ).toBe(`import type { Content, File, Image } from 'newt-client-js'

/** 記事 */
export type BlogPosts = Content & {
  /** title */
  title: string
  /** tags */
  tags: string[]
  /** body */
  body: string
  /** count */
  count: number | null
  /** day */
  day: string | null
  /** pinned */
  pinned: boolean
  /** kind */
  kind: 'a' | 'it\\'s "b"' | ''
  /** sizes */
  sizes: (1 | 2)[]
  /** size */
  size: number | null
  /** og-image */
  "og-image": Image | null
  /** place */
  place?: { lat: number; lng: number }
  /** icon */
  icon: { type: 'emoji'; value: string } | null
  /** files */
  files: File[]
  /** author */
  author: Author | null
  /** related */
  related: BlogPosts[]
  /** lead */
  lead: QA
  /** faq */
  faq: (QA & { _id: string })[]
  /** sections */
  sections: ({ _id: string; type: 'TEXT'; data: string } | { _id: string; type: 'IMAGE'; data: Image | null } | { _id: string; type: 'Q&A'; data: QA })[]
  /** one */
  one: { _id: string; type: 'NUMBER'; data: number | null } | null
  /** none */
  none: never[]
}

/** 著者 * / 花子 */
export type Author = Content & {
  /** name */
  name: string
  /** best */
  best: BlogPosts | null
}

/** 質問 */
export type QA = {
  /** q */
  q: string
}
`)
})

it('typeScriptOf uses a unique name for every model and custom type', () => {
  const uids = ['Content', 'a-b', 'aB', 'よくある質問', '3d']
  const types = uids.map((uid) => named(uid, '', []))
  const fields = uids.map((customType, index) => field(`f${index}`, 'CUSTOM', { customType }))
  const text = typeScriptOf('image', { models: [named('image', '', fields)], customTypes: types })
  const names = [...text.matchAll(/^export type (\S+) =/gm)].map(([, name]) => name)
  expect(names).toEqual(['Image2', 'Content2', 'AB', 'AB2', 'よくある質問', 'Type3d'])
})

it('every field type defines its TypeScript type', () => {
  expect(fieldTypeNames.filter((type) => !typeOf({ type }).typeScript)).toEqual([])
})

it('typeScriptOf types a reference to a hidden model as unknown', () => {
  const post = named('post', '記事', [field('to', 'REFERENCE', { modelUid: '?0123456789abcdef01234567' })])
  expect(typeScriptOf('post', { models: [post], customTypes: [] })).toMatch(/to: unknown/)
})
