import { describe, expect, it } from 'vitest'
import type { Model } from '#shared/contract/models.ts'
import { type Field, fieldSchema } from '#shared/fields/index.ts'
import { inputOf, type ModelDraft, newField } from './draft.ts'
import { type EditorAction, type EditorState, editorReducer, isDirty, startEditor } from './editor-state.ts'

const id = (number: number) => number.toString(16).padStart(24, '0')
const field = (number: number, uid: string, parts: Record<string, unknown> = {}): Field =>
  fieldSchema.parse({ _id: id(number), uid, name: uid, type: 'TEXT', ...parts })

function model(fields: Field[], parts: Partial<Model> = {}): Model {
  return {
    _id: id(0xaaa),
    uid: 'article',
    name: '記事',
    description: '',
    fields,
    titleField: fields[0]?._id ?? null,
    version: 3,
    conversion: null,
    documentCount: 0,
    publishedCount: 0,
    createdAt: '2026-11-20T00:00:00.000Z',
    updatedAt: '2026-11-20T00:00:00.000Z',
    ...parts,
  }
}

const start = () =>
  startEditor(model([field(1, 'title'), field(2, 'body', { type: 'MARKDOWN' }), field(3, 'lead')]))
const run = (state: EditorState, ...actions: EditorAction[]) => actions.reduce(editorReducer, state)
const uids = (draft: ModelDraft) => draft.fields.map((item) => item.uid)

/** Returns the server's response to the draft. New fields get `_id`s from 100 on. */
function saved(state: EditorState, version = state.version + 1): Model {
  let next = 100
  const input = inputOf(state.draft)
  const fields = input.fields.map((item) =>
    fieldSchema.parse('_id' in item ? item : { _id: id(next++), ...item }),
  )
  return model(fields, {
    name: input.name,
    uid: input.uid,
    version,
    titleField: fields.find((item) => item.uid === input.titleField)?._id ?? null,
  })
}

describe('editorReducer for changes', () => {
  it('moves a field, and undoes and redoes the move', () => {
    const moved = run(start(), { type: 'move', from: 0, to: 2 })
    expect(uids(moved.draft)).toEqual(['body', 'lead', 'title'])
    expect(isDirty(moved)).toBe(true)
    const undone = run(moved, { type: 'undo' })
    expect(uids(undone.draft)).toEqual(['title', 'body', 'lead'])
    expect(isDirty(undone)).toBe(false)
    expect(uids(run(undone, { type: 'redo' }).draft)).toEqual(['body', 'lead', 'title'])
  })

  it('ignores a move to the current or to a nonexistent position', () => {
    const state = start()
    expect(run(state, { type: 'move', from: 1, to: 1 }, { type: 'move', from: 1, to: 9 })).toBe(state)
  })

  it('chooses the first suitable title field, or none, when the title field is removed or unsuitable', () => {
    expect(run(start(), { type: 'remove', key: id(1) }).draft.titleField).toBe(id(3))
    const number = run(start(), { type: 'changeType', key: id(1), fieldType: 'NUMBER' })
    expect(number.draft.titleField).toBe(id(3))
    const none = run(number, { type: 'remove', key: id(3) })
    expect(none.draft.titleField).toBeNull()
    const again = run(none, { type: 'add', field: newField('TEXT', { uid: 'name', name: '名前', key: 'k' }) })
    expect(again.draft.titleField).toBe('k')
  })

  it('keeps common settings when the type changes, and drops settings that the new type does not have', () => {
    const unique = run(
      start(),
      { type: 'editField', key: id(3), patch: { unique: true, required: true, maxLength: 20 } },
      { type: 'changeType', key: id(3), fieldType: 'CHECKBOX' },
    )
    const changed = unique.draft.fields[2]
    expect(changed).toMatchObject({
      _id: id(3),
      uid: 'lead',
      type: 'CHECKBOX',
      required: true,
      unique: false,
    })
    expect(changed).not.toHaveProperty('maxLength')
  })
})

describe('editorReducer for undo', () => {
  it('combines typing in one input into one undo step, until a `seal` action ends the step', () => {
    const typed = run(
      start(),
      { type: 'editField', key: id(1), patch: { name: '題' } },
      { type: 'editField', key: id(1), patch: { name: '題名' } },
    )
    expect(typed.past).toHaveLength(1)
    const later = run(typed, { type: 'seal' }, { type: 'editField', key: id(1), patch: { name: '題名。' } })
    expect(later.past).toHaveLength(2)
    expect(run(later, { type: 'undo' }).draft.fields[0]?.name).toBe('題名')
    expect(run(later, { type: 'undo' }, { type: 'undo' }).draft.fields[0]?.name).toBe('title')
  })

  it('makes separate undo steps for typing in three inputs and for each change of a switch', () => {
    const state = run(
      start(),
      { type: 'editField', key: id(1), patch: { name: 'a' } },
      { type: 'editField', key: id(2), patch: { name: 'b' } },
      { type: 'editField', key: id(2), patch: { required: true } },
      { type: 'editField', key: id(2), patch: { required: false } },
      { type: 'edit', patch: { name: 'c' } },
    )
    expect(state.past).toHaveLength(5)
  })

  it('clears the redo steps when the draft is changed after an undo', () => {
    const state = run(
      start(),
      { type: 'remove', key: id(3) },
      { type: 'undo' },
      { type: 'move', from: 0, to: 1 },
    )
    expect(run(state, { type: 'redo' })).toBe(state)
  })

  it('ignores an undo without undo steps, and keeps at most 200 steps', () => {
    const first = start()
    expect(run(first, { type: 'undo' })).toBe(first)
    const moves = Array.from({ length: 300 }, () => ({ type: 'move', from: 0, to: 1 }) as const)
    expect(run(first, ...moves).past).toHaveLength(200)
  })
})

describe('editorReducer for saving', () => {
  const add: EditorAction = {
    type: 'add',
    field: newField('TEXT', { uid: 'slug', name: 'スラッグ', key: 'k1' }),
  }

  it('returns a clean state after a save, and keeps the keys of the fields', () => {
    const edited = run(start(), add)
    const state = run(edited, { type: 'saved', model: saved(edited), sent: edited.draft })
    expect(isDirty(state)).toBe(false)
    expect(state.version).toBe(4)
    expect(state.draft.fields.map((item) => item.key)).toEqual([id(1), id(2), id(3), 'k1'])
    expect(state.draft.fields[3]?._id).toBe(id(100))
  })

  it('keeps input typed during the save', () => {
    const edited = run(start(), add)
    const typing = run(edited, { type: 'editField', key: 'k1', patch: { name: 'URLの名前' } })
    const state = run(typing, { type: 'saved', model: saved(edited), sent: edited.draft })
    expect(isDirty(state)).toBe(true)
    expect(state.draft.fields[3]).toMatchObject({ name: 'URLの名前', _id: id(100) })
  })

  it('keeps the `_id` of a new field after the save when an earlier change is undone', () => {
    const edited = run(start(), add, { type: 'editField', key: 'k1', patch: { required: true } })
    const state = run(edited, { type: 'saved', model: saved(edited), sent: edited.draft }, { type: 'undo' })
    expect(state.draft.fields[3]).toMatchObject({ required: false, _id: id(100) })
    expect(isDirty(state)).toBe(true)
  })

  it('turns a removed field into a new field if the removal is undone after a save', () => {
    const edited = run(start(), { type: 'remove', key: id(3) })
    const state = run(edited, { type: 'saved', model: saved(edited), sent: edited.draft }, { type: 'undo' })
    expect(uids(state.draft)).toEqual(['title', 'body', 'lead'])
    expect(state.draft.fields[2]?._id).toBeUndefined()
    expect(inputOf(state.draft).fields[2]).not.toHaveProperty('_id')
  })

  it('treats a removed field that is added again as a new field only if the removal was saved', () => {
    const edited = run(start(), { type: 'remove', key: id(3) })
    const removed = start().draft.fields[2]!
    const early = run(edited, { type: 'add', field: removed, at: 2 })
    expect(isDirty(early)).toBe(false)
    const late = run(
      edited,
      { type: 'saved', model: saved(edited), sent: edited.draft },
      { type: 'add', field: removed, at: 0 },
    )
    expect(uids(late.draft)).toEqual(['lead', 'title', 'body'])
    expect(late.draft.fields[0]?._id).toBeUndefined()
  })

  it('rebases the draft on the state that another member saved, or loads that state', () => {
    const mine = run(start(), { type: 'editField', key: id(1), patch: { name: '題名' } })
    const theirs = model([field(1, 'title'), field(9, 'price', { type: 'NUMBER' })], { version: 8 })
    const state = run(mine, { type: 'rebase', model: theirs })
    expect(state.version).toBe(8)
    expect(state.draft.fields.map((item) => [item.uid, item._id])).toEqual([
      ['title', id(1)],
      ['body', undefined],
      ['lead', undefined],
    ])
    expect(uids(run(mine, { type: 'load', model: theirs }).draft)).toEqual(['title', 'price'])
  })
})

describe('inputOf and isDirty', () => {
  it('`isDirty` returns false after settings are set and cleared', () => {
    const state = run(
      start(),
      { type: 'editField', key: id(1), patch: { maxLength: 10, pattern: 'x' } },
      { type: 'editField', key: id(1), patch: { maxLength: null, pattern: '' } },
    )
    expect(isDirty(state)).toBe(false)
  })

  it('`inputOf` updates a reference to the model itself when the uid of the model changes', () => {
    const parent = field(4, 'parent', { type: 'REFERENCE', modelUid: 'article' })
    const state = run(startEditor(model([field(1, 'title'), parent])), {
      type: 'edit',
      patch: { uid: 'post' },
    })
    expect(inputOf(state.draft, state.base.uid).fields[1]).toMatchObject({ modelUid: 'post' })
  })
})
