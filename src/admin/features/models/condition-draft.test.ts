import { describe, expect, it } from 'vitest'
import { fieldSchema } from '#shared/fields/index.ts'
import { checkDraft } from './check-draft.ts'
import { draftOf, inputOf, newField } from './draft.ts'
import { type EditorAction, editorReducer, startEditor } from './editor-state.ts'

const id = (n: number) => String(n).padStart(24, '0')
const field = (n: number, uid: string, more: object = {}) =>
  fieldSchema.parse({ _id: id(n), uid, name: `名${uid}`, type: 'TEXT', ...more })
const model = {
  _id: id(9),
  uid: 'article',
  name: '記事',
  description: '',
  fields: [
    field(1, 'kind'),
    field(2, 'url', { condition: { field: 'kind', is: 'filled' }, tab: '詳細' }),
    field(3, 'note'),
  ],
  titleField: null,
  version: 1,
  conversion: null,
  documentCount: 0,
  publishedCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}
const around = { kind: 'model', uid: 'article', modelUids: ['article'], customTypeUids: [] } as const
const drafted = (...actions: EditorAction[]) => actions.reduce(editorReducer, startEditor(model)).draft
const sent = (...actions: EditorAction[]) =>
  inputOf(drafted(...actions)).fields.map((one) => (one as { condition?: unknown }).condition)

describe('a condition in a draft', () => {
  it('contains the new uid of the referenced field in the result of `inputOf`', () => {
    expect(inputOf(draftOf(model)).fields[1]).toMatchObject(model.fields[1] ?? {})
    const rename = (uid: string): EditorAction => ({ type: 'editField', key: id(1), patch: { uid } })
    // During typing, the uid may temporarily equal the uid of another field.
    expect(sent(rename('note'), rename('not'), rename('type'))[1]).toEqual({ field: 'type', is: 'filled' })
  })

  it('can refer to a new field', () => {
    const added = newField('CHECKBOX', { uid: 'on', name: '切替', key: 'new' })
    const condition = { field: 'new', is: 'filled' } as const
    const actions: EditorAction[] = [
      { type: 'add', field: added },
      { type: 'editField', key: id(3), patch: { condition } },
    ]
    expect(sent(...actions)[2]).toEqual({ field: 'on', is: 'filled' })
    expect(checkDraft(drafted(...actions), around)).toEqual([])
  })

  it('is reported by `checkDraft` if it refers to a removed field or is part of a circle', () => {
    const removed = drafted({ type: 'remove', key: id(1) })
    expect(checkDraft(removed, around)).toEqual([
      { key: id(2), property: 'condition.field', code: 'InvalidValue' },
    ])
    const circle = drafted({
      type: 'editField',
      key: id(1),
      patch: { condition: { field: id(2), is: 'empty' } },
    })
    expect(checkDraft(circle, around)).toMatchObject([
      { key: id(1), property: 'condition.field', params: { circle: '名kind → 名url → 名kind' } },
      { key: id(2), property: 'condition.field' },
    ])
  })

  it('is kept, together with the tab, when the type of the field changes', () => {
    const changed = drafted({ type: 'changeType', key: id(2), fieldType: 'NUMBER' })
    expect(changed.fields[1]).toMatchObject({ type: 'NUMBER', tab: '詳細', condition: { field: id(1) } })
  })
})
