import { describe, expect, it } from 'vitest'
import { changedKeys, modelChanges } from './changes.ts'
import { type FieldDraft, type ModelDraft, newField } from './draft.ts'

const field = (id: string, name: string, parts: Partial<FieldDraft> = {}) =>
  ({ ...newField('TEXT', { uid: name, name, key: id }), _id: id, ...parts }) as FieldDraft

const [a, b, c] = [field('1', 'a'), field('2', 'b'), field('3', 'c')]
const draft = (fields: FieldDraft[], parts: Partial<ModelDraft> = {}): ModelDraft => ({
  name: '記事',
  uid: 'article',
  description: '',
  titleField: fields[0]?.key ?? null,
  fields,
  ...parts,
})

describe('modelChanges', () => {
  it('returns no changes if only the key of a field differs', () => {
    expect(modelChanges(draft([a, b]), draft([a, { ...b, key: 'other' }]))).toEqual([])
  })

  it('lists added, removed and changed fields', () => {
    expect(modelChanges(draft([a, b]), draft([{ ...a, required: true }, c]))).toEqual([
      { kind: 'changed', name: 'a' },
      { kind: 'added', name: 'c' },
      { kind: 'removed', name: 'b' },
    ])
  })

  it('lists a new order, but not if a field was only added', () => {
    const title = { titleField: '1' }
    expect(modelChanges(draft([a, b, c]), draft([b, a, c], title))).toEqual([{ kind: 'moved' }])
    expect(modelChanges(draft([a, c]), draft([a, b, c]))).toEqual([{ kind: 'added', name: 'b' }])
  })

  it("lists changes of the model's own settings", () => {
    const to = draft([a, b], { name: 'お知らせ', uid: 'news', description: 'x', titleField: '2' })
    expect(modelChanges(draft([a, b]), to).map((change) => change.kind)).toEqual([
      'name',
      'uid',
      'description',
      'titleField',
    ])
  })
})

it('changedKeys returns the keys of saved fields with different settings, not of new or moved fields', () => {
  const base = draft([a, b, c])
  const changed = changedKeys(
    base,
    draft([c, { ...a, required: true }, newField('TEXT', { uid: 'n', name: 'n', key: 'n' }), b]),
  )
  expect([...changed]).toEqual([a.key])
  expect(changedKeys(base, base).size).toBe(0)
})
