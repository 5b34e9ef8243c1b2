import type { Issue } from '#shared/errors.ts'
import type { ModelDraft } from './draft.ts'

/** An issue of a setting of the model (`key` null) or of one of its fields. */
export interface PlacedIssue extends Omit<Issue, 'path'> {
  key: string | null
  /** The setting: `name`, `uid`, `maxLength`, `options.2.value`. `''`: the field or the model as a whole. */
  property: string
}

/** Maps an issue to its field. The server identifies fields by their index in the request: `fields.2.uid`. */
export function placeIssue(issue: Issue, sent: ModelDraft): PlacedIssue {
  const rest = issue.params ? { code: issue.code, params: issue.params } : { code: issue.code }
  const path = issue.path.replace(/^data(?:\.|$)/, '')
  const [, index, property = ''] = /^fields\.(\d+)(?:\.(.+))?$/.exec(path) ?? []
  const field = index === undefined ? undefined : sent.fields[Number(index)]
  return field ? { key: field.key, property, ...rest } : { key: null, property: path, ...rest }
}

/** Returns the first issue of one setting. With `deep`, `options` also finds `options.2.value`. */
export function issueAt(
  issues: readonly PlacedIssue[],
  key: string | null,
  property: string,
  deep = false,
): PlacedIssue | undefined {
  return issues.find(
    (issue) =>
      issue.key === key &&
      (issue.property === property || (deep && issue.property.startsWith(`${property}.`))),
  )
}
