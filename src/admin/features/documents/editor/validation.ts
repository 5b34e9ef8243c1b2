import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'
import { checkTitle, checkValue, checkValues, parseValue, parseValues } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import type { Values } from './values.ts'

/**
 * Patterns are RE2 and people's own: the server runs them, in linear time and with its syntax. Here they would be
 * another language, and one that can hang the page.
 */
const environment = { matches: () => true }

/** Values that are made of inner values are for the server to read, which knows the custom types. */
const isReadHere = (field: Field) => typeOf(field).nesting === undefined

/** The model with the fields whose values are read here. */
const readable = (model: Model): Model => ({ ...model, fields: model.fields.filter(isReadHere) })

/** What keeps values from being saved at all: wrong types, and a missing title. */
export function saveIssues(whole: Model, values: Values): Issue[] {
  const model = readable(whole)
  const parsed = parseValues(model, known(model, values))
  const named = new Set(parsed.issues.map((issue) => issue.path))
  return [...parsed.issues, ...checkTitle(model, parsed.values).filter((issue) => !named.has(issue.path))]
}

/** Everything that keeps values from being published, as far as it can be known without the server. */
export function publishIssues(whole: Model, values: Values): Issue[] {
  const model = readable(whole)
  const parsed = parseValues(model, known(model, values))
  const broken = new Set(parsed.issues.map((issue) => issue.path.split('.')[0]))
  const rules = [...checkValues(model, parsed.values, environment), ...checkTitle(model, parsed.values)]
  const issues = [...parsed.issues, ...rules.filter((issue) => !broken.has(issue.path.split('.')[0]))]
  return issues.filter(
    (issue, index) =>
      issues.findIndex((other) => other.path === issue.path && other.code === issue.code) === index,
  )
}

/** Has the value rules that only the server can check? */
export function needsServerCheck(field: Field): boolean {
  return typeOf(field).needsServerCheck?.(field) === true
}

/** What is wrong with one field, paths relative to it. */
export function fieldIssues(model: Model, uid: string, value: unknown): Issue[] {
  const field = model.fields.find((candidate) => candidate.uid === uid)
  if (!field || !isReadHere(field)) return []
  const parsed = parseValue(field, value)
  if (parsed.issues.length > 0) return parsed.issues
  const issues = checkValue(field, parsed.value, environment)
  if (issues.length > 0 || field._id !== model.titleField) return issues
  return checkTitle(model, { [field._id]: parsed.value }).map((issue) => ({ ...issue, path: '' }))
}

function known(model: Model, values: Values): Values {
  return Object.fromEntries(model.fields.map((field) => [field.uid, values[field.uid]]))
}
