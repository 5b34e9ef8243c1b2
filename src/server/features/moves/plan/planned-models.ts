import type { Hints } from '#archive/hints.ts'
import { serverTypeOf } from '#server/content/fields/index.ts'
import type { RecognisedCustomType, RecognisedField } from '#server/content/recognition/recognise.ts'
import { mostFields } from '#server/content/recognition/seen.ts'
import type {
  MoveReason,
  PlannedCustomType,
  PlannedField,
  PlannedModel,
} from '#shared/contract/move-plans.ts'
import { type Field, type FieldTypeName, typeOf } from '#shared/fields/index.ts'
import { mapTypes } from '#shared/fields/references.ts'
import { freeUids } from '#shared/free-uids.ts'
import { isComingWord, type UidKind } from '#shared/identifiers.ts'
import type { Language } from '#shared/languages.ts'
import { shorten, shownName } from '#shared/unicode.ts'
import type { MovePlanProblems } from './move-plan-problems.ts'
import { nameOf, uidOfName } from './names-of-fields.ts'
import { planStates, withChoices } from './planned-states.ts'

/** New uids of models by their uids at the source. */
type Uids = ReadonlyMap<string, string>

interface ModelSurroundings extends Pick<PlannedModel, 'foundBy' | 'source' | 'documents'> {
  uids: Uids
  hints?: Hints['models'][number] | undefined
  /**
   * `count`: number of documents read. `refused`: number of times that a document contained a key beyond the field
   * limit.
   */
  count: number
  refused: number
  language: Language
  problems: MovePlanProblems
}

/** Plans a model from the fields recognised in its documents. */
export function planModel(
  from: string,
  fields: RecognisedField[],
  surroundings: ModelSurroundings,
): PlannedModel {
  const { uids, count, refused, language, problems, foundBy, source, documents, hints } = surroundings
  if (count === 0) problems.add('emptyModels', from, 0)
  if (refused > 0) problems.add('tooManyFields', from, refused, undefined, { maximum: mostFields })
  const noted = [
    ['undatedContents', hints?.undated],
    ['picturesElsewhere', hints?.picturesElsewhere],
    ['shortcodes', hints?.shortcodes],
  ] as const
  for (const [code, { count = 0, examples = [] } = {}] of noted)
    for (const [index, example] of examples.entries())
      problems.add(code, from, index === 0 ? count : 0, example)
  const planned = planFields(fields, from, uids, language, problems).map((field) => withHint(field, hints))
  const title = titleAmong(planned, hints?.titleKey)
  if (title && title.filled < count)
    problems.add('emptyTitles', `${from}.${title.from}`, count - title.filled)
  const model: PlannedModel = {
    from,
    uid: uids.get(from) ?? from,
    name: shorten(shownName(hints?.name?.trim() ?? '', ''), 100) || shorten(nameOf(from, language), 100),
    description: '',
    titleField: title?.field.uid ?? null,
    fields: planned.map((field) => (field === title ? withTitleRule(field) : field)),
    foundBy,
    source,
    documents,
    ...(hints && hints.states.length > 0 ? { states: planStates(hints.states) } : {}),
  }
  return withChoices(model, [])
}

/** Applies the name and rules of a field at the source, as far as its values allow. */
function withHint(field: PlannedField, hints: ModelSurroundings['hints']): PlannedField {
  const hint = hints?.fields.find(({ key }) => key === field.from)
  if (!hint) return field
  const { required = false, unique = false } = field.field as { required?: boolean; unique?: boolean }
  return {
    ...field,
    field: {
      ...field.field,
      name: shorten(shownName(hint.name?.trim() ?? '', ''), 100) || field.field.name,
      required: required || (hint.required && field.allows.required),
      unique: unique || (hint.unique && field.allows.unique),
    },
  }
}

/** Makes the title field required if all documents have a title. */
function withTitleRule(field: PlannedField): PlannedField {
  return field.allows.required ? { ...field, field: { ...field.field, required: true } } : field
}

export function planTypes(
  types: RecognisedCustomType[],
  uids: Uids,
  language: Language,
  problems: MovePlanProblems,
): PlannedCustomType[] {
  const names = new Set<string>()
  return types.map(({ uid, name, items, usedBy, fields }) => {
    // Names of custom types must be unique in the app.
    let called = shorten(nameOf(uid, language), 90)
    for (let number = 2; names.has(called); number++)
      called = `${shorten(nameOf(uid, language), 90)} ${number}`
    names.add(called)
    return {
      from: name,
      uid,
      name: called,
      description: '',
      fields: planFields(fields, uid, uids, language, problems),
      items,
      usedBy,
    }
  })
}

function planFields(
  fields: RecognisedField[],
  path: string,
  uids: Uids,
  language: Language,
  problems: MovePlanProblems,
): PlannedField[] {
  const own = uniqueUids(
    fields.map(({ name }) => name),
    problems,
    { kind: 'field', path },
  )
  return fields.map(({ name, seen, choices, allows }) => {
    const at = `${path}.${name}`
    const pointed = choices.map((choice) => ({ ...choice, settings: pointTo(choice.settings, uids) }))
    const [choice] = pointed
    if (!choice) throw new TypeError(`no type keeps ${at}`)
    report(at)
    const isSlug = choice.why.code === 'slugs'
    return {
      from: name,
      field: {
        uid: own.get(name) ?? name,
        name: shorten(nameOf(name, language), 100),
        required: isSlug && allows.required,
        unique: isSlug && allows.unique,
        ...choice.settings,
      },
      choices: pointed,
      samples: seen.samples,
      filled: seen.filled,
      allows,
    }

    function report(at: string): void {
      const [first] = choices
      if (!first) return
      const differences = new Map(first.differences.map(({ code, count }) => [code, count]))
      const asOther = (differences.get('asText') ?? 0) + (differences.get('asJson') ?? 0)
      if (seen.items === 0 && first.why.code === 'sourceSchema') return
      if (seen.items === 0)
        problems.add('emptyFields', at, seen.nothing.null + seen.nothing.text + seen.nothing.list)
      else if (first.why.code === 'longNumbers') addLargeNumbers('longNumbers', asOther)
      else if (first.why.code === 'numbersTooLarge')
        addLargeNumbers('numbersLeftOut', differences.get('leftOut') ?? 0)
      else if (first.why.code === 'mixedKinds') {
        const hindrance = hindranceTo(seen)
        if (hindrance) problems.add('severalTargets', at, seen.items, undefined, hindrance.params)
        else addSamples('mixedKinds', asOther)
      }
      if (differences.has('shifted')) problems.add('emptyEntries', at, seen.emptyEntries)
      const sanitized = differences.get('sanitized') ?? 0
      if (sanitized > 0) problems.add('sanitizedHtml', at, sanitized)
      const { type } = first.settings
      for (const kind of listKinds(seen.removed(type))) problems.add('sanitizedHtml', at, 0, kind)
      const quill = seen.noted(type, 'quill')
      if (quill > 0) problems.add('quillHtml', at, quill)
    }

    function addLargeNumbers(code: 'longNumbers' | 'numbersLeftOut', count: number): void {
      problems.add(code, at, count)
      const notes = new Set(seen.keepers.flatMap((type) => [...seen.notes(type).keys()]))
      for (const note of notes)
        if (note.startsWith('tooLarge:')) problems.add(code, at, 0, note.slice('tooLarge:'.length))
    }

    function addSamples(code: 'mixedKinds', count: number): void {
      problems.add(code, at, count)
      for (const sample of seen.samples) problems.add(code, at, 0, sample)
    }
  })
}

/** Formats kinds as `<font> ×3`, the most frequent first. */
const listKinds = (kinds: ReadonlyMap<string, number>) =>
  [...kinds].sort(([, a], [, b]) => b - a).map(([kind, times]) => `${kind} ×${times}`)

/** Returns why no single type can represent all values. undefined: no type states a reason. */
function hindranceTo(seen: RecognisedField['seen']): MoveReason | undefined {
  for (const type of seen.keepers) {
    const hindrance = serverTypeOf({ type }).received.hindrance?.(seen)
    if (hindrance) return hindrance
  }
  return undefined
}

/** Returns the settings with references changed to the models' new uids. */
export function pointTo<Settings extends { type: string }>(settings: Settings, uids: Uids): Settings {
  return mapTypes(settings as unknown as Field, (type) => {
    const { reference } = typeOf(type)
    return reference
      ? { ...type, ...reference.pointTo(reference.targets(type).map((uid) => uids.get(uid) ?? uid)) }
      : type
  }) as unknown as Settings
}

const titles =
  /^(?:title|name|heading|headline|question|label|subject|fullName|displayName|companyName|siteName|shopName|.*(?:Title|Name))$/

function titleAmong(fields: PlannedField[], known?: string): PlannedField | undefined {
  const possible = fields.filter(
    ({ field, filled }) =>
      filled > 0 && field.multiple !== true && typeOf({ type: field.type as FieldTypeName }).canBeTitle,
  )
  const named = (name: string) => possible.find(({ from }) => from === name)
  const isPlain = ({ field, choices }: PlannedField) =>
    field.inputType !== 'textarea' && choices[0]?.why.code !== 'slugs'
  return (
    (known === undefined ? undefined : named(known)) ??
    named('title') ??
    named('name') ??
    possible.find(({ from }) => titles.test(from)) ??
    possible.find(isPlain) ??
    possible[0]
  )
}

/**
 * Returns unique uids for the names (see {@link freeUids}). Adds a problem for each name that changes, and for each uid
 * that is reserved for the future.
 */
export function uniqueUids(
  names: string[],
  problems: MovePlanProblems,
  { kind, path }: { kind: UidKind; path: string } = { kind: 'model', path: '' },
): Map<string, string> {
  const uids = freeUids(kind, names, uidOfName)
  for (const [name, uid] of uids) {
    const at = path === '' ? name : `${path}.${name}`
    if (uid !== name) problems.add('uidChanged', at, 1, undefined, { from: name.slice(0, 100), to: uid })
    if (isComingWord(kind, uid)) problems.add('uidReserved', at, 1)
  }
  return uids
}
