import { expect, it } from 'vitest'
import type { ModelDraft } from './draft.ts'
import { newField } from './draft.ts'
import { copyToAdd, fieldToAdd, renamed, uidFor } from './field-changes.ts'

const draftOf = (...uids: string[]): ModelDraft => ({
  name: '記事',
  uid: 'article',
  description: '',
  titleField: null,
  fields: uids.map((uid) => newField('TEXT', { uid, name: uid, key: uid })),
})

it('fieldToAdd chooses a free uid, and preselects the only other model as the target of a reference', () => {
  expect(fieldToAdd(draftOf('text1'), { type: 'TEXT' }, [])).toMatchObject({
    name: '',
    uid: 'text2',
    type: 'TEXT',
  })
  expect(fieldToAdd(draftOf(), { type: 'REFERENCE' }, [{ uid: 'author' }])).toMatchObject({
    modelUid: 'author',
  })
  const several = [{ uid: 'author' }, { uid: 'tag' }]
  expect(fieldToAdd(draftOf(), { type: 'REFERENCE' }, several)).toMatchObject({ modelUid: '' })
})

it('copyToAdd returns a copy with a new name, uid and key, to be inserted after the original', () => {
  const draft = draftOf('title', 'body')
  const known = { ...draft, fields: draft.fields.map((field) => ({ ...field, _id: 'a'.repeat(24) })) }
  const copy = copyToAdd(known, 'title', (name) => `${name} (2)`)
  expect(copy).toMatchObject({ at: 1, field: { uid: 'title2', name: 'title (2)' } })
  expect(copy?.field).not.toHaveProperty('_id')
  expect(copy?.field.key).not.toBe('title')
  expect(copyToAdd(draft, 'gone', String)).toBeNull()
})

it('copyToAdd returns null if the model has 200 fields', () => {
  const full = draftOf(...Array.from({ length: 200 }, (_, index) => `f${index}`))
  expect(copyToAdd(full, 'f0', String)).toBeNull()
})

it('renamed changes the uid of a new field until the uid is edited, but not of a saved field', () => {
  const draft = draftOf('title')
  const fresh = newField('TEXT', { uid: 'text1', name: '' })
  expect(renamed(draft, fresh, '本文')).toEqual({ name: '本文', uid: 'body' })
  expect(renamed(draft, { ...fresh, uid: 'mine' }, '本文')).toEqual({ name: '本文' })
  expect(renamed(draft, { ...fresh, _id: 'a'.repeat(24) }, '本文')).toEqual({ name: '本文' })
})

it('uidFor replaces an empty uid by the saved uid, or by a free uid based on the name or the type', () => {
  const draft = draftOf('title', 'price', '')
  const [title, , emptied] = draft.fields
  if (!title || !emptied) throw new Error('three fields')
  expect(uidFor(draft, { ...emptied, name: '価格' }, null)).toBe('price2')
  expect(uidFor(draft, emptied, null)).toBe('text1')
  expect(uidFor(draft, { ...title, uid: '' }, title)).toBe('title')
})
