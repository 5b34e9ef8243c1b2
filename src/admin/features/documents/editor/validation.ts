import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import { countCharacters } from '#shared/fields/characters.ts'
import { isShown } from '#shared/fields/conditions.ts'
import { type CustomType, resolveField } from '#shared/fields/custom-types.ts'
import { checkTitle, checkValue, checkValues, parseValue, parseValues } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { allFields } from '#shared/fields/walk.ts'
import type { Values } from './values.ts'

/**
 * Patterns are not evaluated here: users write them in RE2 syntax, which the server matches in linear time. The
 * browser's engine has another syntax and could block the page.
 */
const environment = { matches: () => true, countCharacters }

/** Returns the model with only the fields whose custom types are known here. */
const readable = (model: Model, types: readonly CustomType[]): Model => ({
  ...model,
  fields: model.fields.flatMap((field) => resolveField(field, types) ?? []),
})

/**
 * Returns whether an issue is certain. After a change of a custom type, a field or type unknown here may exist on the
 * server.
 */
const isCertain = ({ code }: Issue) => code !== 'UnknownField' && code !== 'NonExistentFieldType'

/** Returns the model with only the fields that these values make visible. */
const shown = (model: Model, values: Values): Model => ({
  ...model,
  fields: model.fields.filter((field) => isShown(field, model.fields, ({ uid }) => values[uid])),
})

/** Returns the issues that prevent saving: wrong types and a missing title. */
export function saveIssues(whole: Model, values: Values, types: readonly CustomType[] = []): Issue[] {
  const model = readable(whole, types)
  const parsed = readValues(model, values)
  const named = new Set(parsed.issues.map((issue) => issue.path))
  return [
    ...parsed.issues,
    ...checkTitle(shown(whole, values), parsed.values).filter((issue) => !named.has(issue.path)),
  ]
}

/** Returns the issues that prevent publishing, as far as they can be found without the server. */
export function publishIssues(whole: Model, values: Values, types: readonly CustomType[] = []): Issue[] {
  const model = readable(shown(whole, values), types)
  const parsed = readValues(model, values)
  const broken = new Set(parsed.issues.map((issue) => issue.path.split('.')[0]))
  const rules = [...checkValues(model, parsed.values, environment), ...checkTitle(model, parsed.values)]
  const issues = [...parsed.issues, ...rules.filter((issue) => !broken.has(issue.path.split('.')[0]))]
  return issues.filter(
    (issue, index) =>
      issues.findIndex((other) => other.path === issue.path && other.code === issue.code) === index,
  )
}

/** Returns whether the field, or a field inside of it, has rules that only the server can check. */
export function needsServerCheck(field: Field, types: readonly CustomType[] = []): boolean {
  const resolved = resolveField(field, types)
  return (
    resolved !== null &&
    allFields([resolved]).some((one) => one.unique || typeOf(one).needsServerCheck?.(one) === true)
  )
}

/** Returns the issues of one field, with relative paths. */
export function fieldIssues(
  model: Model,
  uid: string,
  value: unknown,
  types: readonly CustomType[] = [],
): Issue[] {
  const found = model.fields.find((candidate) => candidate.uid === uid)
  const field = found && resolveField(found, types)
  if (!field) return []
  const parsed = parseValue(field, value)
  if (parsed.issues.length > 0) return parsed.issues.filter(isCertain)
  const issues = checkValue(field, parsed.value, environment)
  if (issues.length > 0 || field._id !== model.titleField) return issues
  return checkTitle(model, { [field._id]: parsed.value }).map((issue) => ({ ...issue, path: '' }))
}

function readValues(model: Model, values: Values) {
  const known = Object.fromEntries(model.fields.map((field) => [field.uid, values[field.uid]]))
  const parsed = parseValues(model, known)
  return { ...parsed, issues: parsed.issues.filter(isCertain) }
}
