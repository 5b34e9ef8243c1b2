import type { FieldTypeName } from '#shared/fields/index.ts'
import {
  canBeTitle,
  draftOf,
  type Edited,
  type FieldDraft,
  type FieldPatch,
  type ModelDraft,
  sameModel,
  withType,
} from './draft.ts'
import { moveRow, renameTab } from './field-rows.ts'

/** The complete state of the model editor: the saved model, the draft, and the undo history. */
export interface EditorState {
  /** The model as last read or saved. `version` is its version. */
  base: ModelDraft
  version: number
  draft: ModelDraft
  past: ModelDraft[]
  future: ModelDraft[]
  /**
   * Identifies consecutive changes that form one undo step, such as typing in one input. null: the next change starts a
   * new step.
   */
  run: string | null
}

export type EditorAction =
  | { type: 'edit'; patch: Partial<Pick<ModelDraft, 'name' | 'uid' | 'description'>> }
  | { type: 'setTitle'; key: string | null }
  | { type: 'add'; field: FieldDraft; at?: number }
  | { type: 'remove'; key: string }
  /** Row indexes of the list, which contains fields and tab headings. */
  | { type: 'move'; from: number; to: number }
  | { type: 'renameTab'; from: string | null; to: string | null }
  | { type: 'editField'; key: string; patch: FieldPatch }
  | { type: 'changeType'; key: string; fieldType: FieldTypeName }
  /** Ends the current undo step. */
  | { type: 'seal' }
  | { type: 'undo' }
  | { type: 'redo' }
  /** The server accepted `sent` and returned `model`. */
  | { type: 'saved'; model: Edited; sent: ModelDraft }
  /** Discards the draft and loads the server's state. */
  | { type: 'load'; model: Edited }
  /** Keeps the draft, based on the server's new state. */
  | { type: 'rebase'; model: Edited }

const maximumSteps = 200

export function startEditor(model: Edited): EditorState {
  const base = draftOf(model)
  return { base, version: model.version, draft: base, past: [], future: [], run: null }
}

export function isDirty(state: EditorState): boolean {
  return state.draft !== state.base && !sameModel(state.draft, state.base)
}

export function editorReducer(state: EditorState, action: EditorAction): EditorState {
  switch (action.type) {
    case 'undo': {
      const previous = state.past.at(-1)
      if (!previous) return state
      const future = [state.draft, ...state.future]
      return { ...state, draft: previous, past: state.past.slice(0, -1), future, run: null }
    }
    case 'redo': {
      const [next, ...future] = state.future
      if (!next) return state
      return { ...state, draft: next, past: [...state.past, state.draft], future, run: null }
    }
    case 'seal':
      return state.run === null ? state : { ...state, run: null }
    case 'load':
      return startEditor(action.model)
    case 'rebase':
      return onBase(state, action.model, keysById(state.draft))
    case 'saved':
      return onBase(state, action.model, keysByUid(action.sent, action.model))
    default: {
      const draft = change(state.draft, action.type === 'add' ? known(state.base, action) : action)
      if (draft === state.draft) return state
      const run = runOf(action)
      const continues = run !== null && run === state.run
      const past = continues ? state.past : [...state.past, state.draft].slice(-maximumSteps)
      return { ...state, draft, past, future: [], run }
    }
  }
}

type Change = Exclude<EditorAction, { type: 'undo' | 'redo' | 'seal' | 'saved' | 'load' | 'rebase' }>

/**
 * Removes the `_id` of a field that is added again after its removal was saved: the server treats it as a new field.
 */
function known(base: ModelDraft, action: Extract<Change, { type: 'add' }>): Change {
  const { _id, ...field } = action.field
  const isKnown = _id === undefined || base.fields.some((other) => other._id === _id)
  return isKnown ? action : { ...action, field: field as FieldDraft }
}

/** Returns the key of the undo step. Typing in one input is one step; null: the change is a separate step. */
function runOf(action: Change): string | null {
  if (action.type === 'edit') return `model ${Object.keys(action.patch)[0]}`
  if (action.type !== 'editField') return null
  const [name, ...rest] = Object.keys(action.patch)
  const typed = rest.length === 0 || (rest.length === 1 && rest[0] === 'uid')
  return typed && name && typeof action.patch[name] !== 'boolean' ? `${action.key} ${name}` : null
}

function change(draft: ModelDraft, action: Change): ModelDraft {
  switch (action.type) {
    case 'edit':
      return { ...draft, ...action.patch }
    case 'setTitle':
      return draft.titleField === action.key ? draft : { ...draft, titleField: action.key }
    case 'add':
      return withTitle({
        ...draft,
        fields: draft.fields.toSpliced(action.at ?? draft.fields.length, 0, action.field),
      })
    case 'remove': {
      const fields = draft.fields.filter((field) => field.key !== action.key)
      return fields.length === draft.fields.length ? draft : withTitle({ ...draft, fields })
    }
    case 'move': {
      const fields = moveRow(draft.fields, action.from, action.to)
      return fields === draft.fields ? draft : { ...draft, fields }
    }
    case 'renameTab':
      return { ...draft, fields: renameTab(draft.fields, action.from, action.to) }
    case 'editField':
      return withField(draft, action.key, (field) => ({ ...field, ...action.patch }) as FieldDraft)
    case 'changeType':
      return withField(draft, action.key, (field) =>
        field.type === action.fieldType ? field : withType(field, action.fieldType),
      )
  }
}

function withField(draft: ModelDraft, key: string, edit: (field: FieldDraft) => FieldDraft): ModelDraft {
  const fields = draft.fields.map((field) => (field.key === key ? edit(field) : field))
  return fields.some((field, index) => field !== draft.fields[index])
    ? withTitle({ ...draft, fields })
    : draft
}

/**
 * Sets the title field to the first suitable field if it is not set, was removed or is no longer suitable. null: no
 * field is suitable.
 */
function withTitle(draft: ModelDraft): ModelDraft {
  if (draft.titleField === undefined) return draft
  const current = draft.fields.find((field) => field.key === draft.titleField)
  if (current && canBeTitle(current)) return draft
  return { ...draft, titleField: draft.fields.find(canBeTitle)?.key ?? null }
}

function keysById(draft: ModelDraft): Map<string, string> {
  return new Map(draft.fields.flatMap((field) => (field._id ? [[field._id, field.key]] : [])))
}

/**
 * Returns the keys of the sent fields, by the `_id`s that the server assigned. Fields are matched by uid, which is
 * unique in a model.
 */
function keysByUid(sent: ModelDraft, model: Edited): Map<string, string> {
  const keys = new Map(sent.fields.map((field) => [field.uid, field.key]))
  return new Map(model.fields.map((field) => [field._id, keys.get(field.uid) ?? field._id]))
}

/**
 * Rebases draft and history onto a new server state. Fields that the server has get its `_id`, and other fields have
 * none. Otherwise undoing a change from before the save would turn a saved field into a new one, and its values would
 * be lost.
 */
function onBase(state: EditorState, model: Edited, keys: Map<string, string>): EditorState {
  const base = draftOf(model, keys)
  const ids = new Map(base.fields.map((field) => [field.key, field._id]))
  const relink = (draft: ModelDraft): ModelDraft => ({
    ...draft,
    fields: draft.fields.map(({ _id: _, ...field }) => {
      const id = ids.get(field.key)
      return (id ? { ...field, _id: id } : field) as FieldDraft
    }),
  })
  const draft = relink(state.draft)
  return {
    base,
    version: model.version,
    draft: sameModel(draft, base) ? base : draft,
    past: state.past.map(relink),
    future: state.future.map(relink),
    run: null,
  }
}
