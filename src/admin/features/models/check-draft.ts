import { adminFieldType } from '#admin/fields/index.ts'
import type { Issue } from '#shared/errors.ts'
import { countCharacters } from '#shared/fields/characters.ts'
import { customTypeUidProblem } from '#shared/fields/custom-types.ts'
import { commonFieldShape } from '#shared/fields/field-type.ts'
import { type Field, fieldSchema, typeOf } from '#shared/fields/index.ts'
import { typesIn } from '#shared/fields/references.ts'
import { conditionIssues, fieldIssues } from '#shared/fields/settings.ts'
import { type UidKind, uidProblem } from '#shared/identifiers.ts'
import { zodIssues } from '#shared/zod-issues.ts'
import { canBeTitle, type FieldDraft, type ModelDraft, wholeField } from './draft.ts'
import type { PlacedIssue } from './issues.ts'

/** The context in which a model or custom type is checked. */
export interface Surroundings {
  /** Whether the draft is a model or a custom type. */
  kind: 'model' | 'customType'
  /** The saved uid of the model or custom type. null: a new one. */
  uid: string | null
  /** The saved uids of the fields, by `_id`. */
  fieldUids?: ReadonlyMap<string, string>
  /** The uids of all models of the app. */
  modelUids: readonly string[]
  /** The uids of all custom types of the app. */
  customTypeUids: readonly string[]
}

type LocalIssue = Omit<PlacedIssue, 'key'>

/** Returns the issues that the browser can find. Only the server's checks are complete. */
export function checkDraft(draft: ModelDraft, around: Surroundings): PlacedIssue[] {
  const issues: PlacedIssue[] = checkModel(draft, around).map((issue) => ({ key: null, ...issue }))
  const seen = new Set<string>()
  for (const field of draft.fields) {
    const own = checkField(field, draft, around)
    if (seen.has(field.uid)) own.push({ property: 'uid', code: 'DuplicatedValue' })
    seen.add(field.uid)
    issues.push(...own.map((issue) => ({ key: field.key, ...issue })))
  }
  return [...issues, ...checkConditions(draft)]
}

/** Checks the conditions of the fields. In a draft, conditions refer to other fields by key instead of uid. */
function checkConditions({ fields }: ModelDraft): PlacedIssue[] {
  const known = fields.map((field) => ({ ...wholeField(field), uid: field.key }))
  const nameOf = (key: string) => fields.find((field) => field.key === key)?.name ?? key
  return conditionIssues(known).flatMap(({ path, code, params }): PlacedIssue[] => {
    const [index = '', ...property] = path.split('.')
    const field = fields[Number(index)]
    if (!field) return []
    const circle = params?.circle && String(params.circle).split(' → ').map(nameOf).join(' → ')
    return [{ key: field.key, property: property.join('.'), code, ...(circle ? { params: { circle } } : {}) }]
  })
}

function checkModel(draft: ModelDraft, around: Surroundings): LocalIssue[] {
  const issues: LocalIssue[] = []
  if (draft.name.trim() === '') issues.push({ property: 'name', code: 'Required' })
  else issues.push(...checkPart('name', draft.name.trim()))
  issues.push(
    ...(around.kind === 'model'
      ? checkUid('model', draft.uid, around.uid)
      : checkCustomTypeUid(draft.uid, around.uid)),
    ...checkPart('description', draft.description.trim()),
  )
  const taken = around.kind === 'model' ? around.modelUids : around.customTypeUids
  if (draft.uid !== around.uid && taken.includes(draft.uid))
    issues.push({ property: 'uid', code: 'DuplicatedValue' })
  const title = draft.fields.find((field) => field.key === draft.titleField)
  if (title && !canBeTitle(title)) issues.push({ property: 'titleField', code: 'InvalidValue' })
  return issues
}

function checkPart(property: 'name' | 'description', value: string): LocalIssue[] {
  const result = commonFieldShape[property].safeParse(value, { reportInput: true })
  return result.success ? [] : zodIssues(result.error.issues).map((issue) => placed(issue, property))
}

function checkUid(kind: UidKind, uid: string, own: string | null | undefined): LocalIssue[] {
  if (uid === '') return [{ property: 'uid', code: 'Required' }]
  const problem = uidProblem(kind, uid, own)
  return problem ? [{ property: 'uid', code: problem }] : []
}

function checkCustomTypeUid(uid: string, own: string | null): LocalIssue[] {
  if (uid === '') return [{ property: 'uid', code: 'Required' }]
  const problem = uid === own ? null : customTypeUidProblem(uid)
  return problem ? [{ property: 'uid', code: problem }] : []
}

function placed({ path, code, params }: Issue, property = path): LocalIssue {
  return params ? { property, code, params } : { property, code }
}

function checkField(field: FieldDraft, draft: ModelDraft, around: Surroundings): LocalIssue[] {
  const whole = wholeField({ ...field, name: field.name.trim(), description: field.description.trim() })
  const own = field._id && around.fieldUids?.get(field._id)
  const issues = checkUid('field', field.uid, own)
  if (whole.name === '') issues.push({ property: 'name', code: 'Required' })
  const result = fieldSchema.safeParse(whole, { reportInput: true })
  if (!result.success) {
    const found = zodIssues(result.error.issues).map((issue) => placed(issue))
    issues.push(...found.filter((issue) => issue.property !== 'uid'))
    return issues
  }
  const needed = neededIn(result.data)
  issues.push(...needed.map((property): LocalIssue => ({ property, code: 'Required' })))
  const isModel = around.kind === 'model'
  const hasModel = (uid: string) => (isModel && uid === draft.uid) || around.modelUids.includes(uid)
  // The type itself is accepted too: the server reports circular types.
  const hasCustomType = (uid: string) =>
    (!isModel && uid === draft.uid) || around.customTypeUids.includes(uid)
  const environment = { compiles, hasModel, hasCustomType, uid: own }
  const found = fieldIssues(result.data, environment).map((issue) => placed(issue))
  issues.push(...found.filter(({ property }) => property !== 'uid' && !needed.includes(property)))
  if (found.length === 0) issues.push(...checkDefault(result.data))
  return issues
}

/** Returns the paths of the required settings that are missing in the field or in a type that it declares. */
function neededIn(field: Field): string[] {
  return typesIn([field]).flatMap(({ type, path }) => {
    const needed = adminFieldType(type).needed?.(type as Field) ?? []
    // Removes the index of the field from the path.
    return needed.map((property) => `${path}.${property}`.slice(2))
  })
}

/**
 * Checks the default value against the field's own rules, except its pattern, and returns only the first issue. The
 * browser's engine could block the page on a pattern that the server's RE2 evaluates in linear time.
 */
function checkDefault(field: Field): LocalIssue[] {
  if (!('defaultValue' in field) || field.defaultValue == null || field.defaultValue === '') return []
  return typeOf(field)
    .rules(field.defaultValue, field, { matches: () => true, countCharacters })
    .slice(0, 1)
    .map((issue) => ({ property: 'defaultValue', ...issue }))
}

/**
 * Syntax that JavaScript accepts but RE2 does not: look-around and back-references. For other syntax, the two engines
 * agree closely enough.
 */
const notRe2 = /\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</

function compiles(pattern: string): boolean {
  if (notRe2.test(pattern)) return false
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
