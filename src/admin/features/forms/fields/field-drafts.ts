import { wordsOf } from '#admin/lib/uid-words.ts'
import { readAccept } from '#shared/accept.ts'
import { bodySchema } from '#shared/contract/endpoint.ts'
import { type Form, formEndpoints } from '#shared/contract/forms.ts'
import type { Issue } from '#shared/errors.ts'
import { formFieldIssues } from '#shared/forms/field-issues.ts'
import { type FormField, type FormFieldType, formLimits, isReservedName } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import { zodIssues } from '#shared/zod-issues.ts'
import { bodyWith } from '../form-body.ts'

/** A field of the form as it is edited. */
export interface FieldDraft {
  /** Identifies the field in the editor, because its name can change. */
  key: string
  /** Whether the name follows the label, until the user edits the name. False for saved fields. */
  followsLabel: boolean
  /** The name of the field when the form was saved. null: the field is new. */
  savedName: string | null
  field: FormField
}

/** A change of some properties of a field. The schema checks the result before it is sent. */
export type FieldPatch = Record<string, unknown>

let lastKey = 0
const nextKey = () => `field-${++lastKey}`

/** Returns the drafts of saved fields. */
export const draftsOf = (fields: readonly FormField[]): FieldDraft[] =>
  fields.map((field) => ({ key: nextKey(), followsLabel: false, savedName: field.name, field }))

const noText = { ja: '', en: '' }

/** The name of a new field without a label. */
const stems: Record<FormFieldType, string> = {
  text: 'text',
  textarea: 'message',
  email: 'email',
  phone: 'phone',
  number: 'number',
  date: 'date',
  choice: 'choice',
  checkboxes: 'choices',
  file: 'file',
  consent: 'consent',
}

/** Returns `stem`, or `stem_2`, `stem_3`… if it is taken or reserved. */
function freeName(stem: string, taken: ReadonlySet<string>): string {
  const isFree = (name: string) => !taken.has(name) && !isReservedName(name)
  if (isFree(stem)) return stem
  for (let number = 2; ; number++) if (isFree(`${stem}_${number}`)) return `${stem}_${number}`
}

/**
 * Suggests the name of an input for a label: `Company name` → `company_name`, `お名前` → `onamae`. `reading`: the label in
 * kana. Labels that cannot be transcribed get a name from the type, such as `text_2`.
 */
export function suggestName(
  label: string,
  type: FormFieldType,
  taken: ReadonlySet<string>,
  reading = label,
): string {
  const words = wordsOf(label, reading).map((word) =>
    word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  const stem = words.join('_').slice(0, 40).replace(/_+$/, '')
  return freeName(stem.length > 1 ? stem : stems[type], taken)
}

export const namesOf = (drafts: readonly FieldDraft[]): Set<string> =>
  new Set(drafts.map(({ field }) => field.name))

/** Returns a new field of this type with a free name. */
export function newDraft(type: FormFieldType, drafts: readonly FieldDraft[]): FieldDraft {
  const common = {
    name: freeName(stems[type], namesOf(drafts)),
    label: noText,
    help: noText,
    required: type === 'consent',
    message: noText,
  }
  return {
    key: nextKey(),
    followsLabel: true,
    savedName: null,
    field: { ...common, ...rulesOf(type) } as FormField,
  }
}

function rulesOf(type: FormFieldType) {
  if (type === 'number') return { type, integer: false }
  if (type === 'choice') return { type, display: 'radio', options: [emptyOption] }
  if (type === 'checkboxes') return { type, options: [emptyOption] }
  if (type === 'file') return { type, accept: '', maxFiles: 1 }
  return { type }
}

const emptyOption = { value: '', label: noText }

/** Returns a copy with a free name, and a label that says that it is a copy. */
export function copyOf({ field }: FieldDraft, drafts: readonly FieldDraft[]): FieldDraft {
  return {
    key: nextKey(),
    followsLabel: false,
    savedName: null,
    field: { ...field, name: freeName(field.name.replace(/_\d+$/, ''), namesOf(drafts)) },
  }
}

/** Changes one field. If its label changes and the name follows it, the name is suggested again. */
export function changeDraft(
  drafts: readonly FieldDraft[],
  key: string,
  patch: FieldPatch,
  readingOf: (text: string) => string = (text) => text,
): FieldDraft[] {
  return drafts.map((draft) => {
    if (draft.key !== key) return draft
    const field = { ...draft.field, ...patch } as FormField
    if ('name' in patch) return { ...draft, field, followsLabel: patch.name === '' }
    if (!('label' in patch) || !draft.followsLabel) return { ...draft, field }
    const others = namesOf(drafts.filter((other) => other !== draft))
    const label = textIn(field.label, 'en')
    return { ...draft, field: { ...field, name: suggestName(label, field.type, others, readingOf(label)) } }
  })
}

export function moveDraft(drafts: readonly FieldDraft[], from: number, to: number): FieldDraft[] {
  const next = [...drafts]
  next.splice(to, 0, ...next.splice(from, 1))
  return next
}

/** An issue of one property of a field, such as `name` or `options.2.value`. */
export interface PlacedIssue extends Omit<Issue, 'path'> {
  /** null: an issue of the form as a whole. */
  key: string | null
  property: string
}

/** Maps an issue to its field, which the path identifies by its index: `data.fields.2.name`. */
export function placeIssue({ path, ...issue }: Issue, drafts: readonly FieldDraft[]): PlacedIssue {
  const [, index, property = ''] = /^data\.fields\.(\d+)(?:\.(.+))?$/.exec(path) ?? []
  const draft = index === undefined ? undefined : drafts[Number(index)]
  return { ...issue, key: draft?.key ?? null, property: draft ? property : path }
}

const schema = bodySchema(formEndpoints.updateForm)

/** Returns the issues that the contract finds, and fields whose rules are invalid or exclude each other. */
export function findIssues(form: Form, drafts: readonly FieldDraft[]): PlacedIssue[] {
  const fields = drafts.map(({ field }) => field)
  const result = schema?.safeParse(bodyWith(form, { fields }), { reportInput: true })
  const issues = [
    ...(result && !result.success ? zodIssues(result.error.issues) : []),
    ...formFieldIssues(fields, { compiles }).map(({ path, ...issue }) => ({
      ...issue,
      path: path ? `data.fields.${path}` : 'data.fields',
    })),
  ]
  return [
    ...issues.map((issue) => placeIssue(issue, drafts)),
    ...drafts.flatMap(({ key, field }) =>
      field.type === 'file' && readAccept(field.accept) === null
        ? [{ key, property: 'accept', code: 'InvalidFormat' } as const]
        : [],
    ),
  ]
}

/** Returns whether the browser can compile a pattern. The server also refuses patterns that need unlimited time. */
function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

/** Returns whether another field can be added. */
export const hasRoom = (drafts: readonly FieldDraft[]): boolean => drafts.length < formLimits.fields
