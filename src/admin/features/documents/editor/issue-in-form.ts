import { fieldIssueText } from '#admin/fields/issue-text.ts'
import { describePath } from '#admin/fields/nested/items.ts'
import { translator } from '#admin/i18n/messages.ts'
import type { Issue } from '#shared/errors.ts'
import { resolveField } from '#shared/fields/custom-types.ts'
import { knownCustomTypes } from '../documents.queries.ts'
import { namedIssue } from '../named-issue.ts'
import type { EditorContextValue } from './editor-context.ts'

/** Describes an issue: the names of the fields and items on its path, and a message. */
export function issueInForm(issue: Issue, { model, place, store }: EditorContextValue) {
  const named = namedIssue(model, issue)
  const field = model.fields.find(({ uid }) => uid === named.uid)
  const resolved = field && resolveField(field, knownCustomTypes(place))
  if (!resolved || !issue.path.includes('.')) return named
  const { way, field: innermost } = describePath(
    resolved,
    issue.path.slice(named.uid.length + 1),
    store.get(named.uid),
  )
  const name = way.reduce<string>(
    (before, part) =>
      typeof part === 'number'
        ? translator()('documents.editor.itemName', { name: before, number: part })
        : `${before} › ${part}`,
    resolved.name,
  )
  return innermost === resolved ? named : { uid: named.uid, name, text: fieldIssueText(innermost, issue) }
}
