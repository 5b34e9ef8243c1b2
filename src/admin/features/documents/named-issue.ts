import { fieldIssueText } from '#admin/fields/issue-text.ts'
import { translator } from '#admin/i18n/messages.ts'
import { issueText } from '#admin/lib/errors.ts'
import type { Model } from '#shared/contract/models.ts'
import type { Issue } from '#shared/errors.ts'

/** Describes an issue of a document for a list: the name of the field or item, and the message. */
export function namedIssue(
  model: Pick<Model, 'fields'>,
  issue: Issue,
): { uid: string; item: string | undefined; name: string; text: string } {
  const [uid = '', item] = issue.path.split('.')
  const field = model.fields.find((candidate) => candidate.uid === uid)
  if (!field) return { uid, item, name: uid, text: issueText(issue) }
  const name =
    item === undefined || !/^\d+$/.test(item)
      ? field.name
      : translator()('documents.editor.itemName', { name: field.name, number: Number(item) + 1 })
  return { uid, item, name, text: fieldIssueText(field, issue) }
}
