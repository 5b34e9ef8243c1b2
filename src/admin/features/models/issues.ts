import type { Issue } from '#shared/errors.ts'
import type { ModelDraft } from './draft.ts'

/** An issue with a setting of the model (`key` null) or of one of its fields. */
export interface PlacedIssue extends Omit<Issue, 'path'> {
  key: string | null
  /** `name`, `uid`, `maxLength`, `options.2.value`; `''` for the field or the model as a whole. */
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

/** The first issue of one setting. `options` also finds `options.2.value` when `deep` is set. */
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
