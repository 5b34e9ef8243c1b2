import type { Issue } from '#shared/errors.ts'
import { parseValue } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { parseCopied } from './clipboard.ts'
import { type Item, isList, withNewIds } from './items.ts'

/**
 * Converts the items of the clipboard for this field, with new `_id`s. Items that do not fit are in `refused`, with
 * their first issue. Returns null if the text is not in Imori's format.
 */
export function readCopied(
  text: string,
  field: Field,
): { items: Item[]; refused: { name: string; issue: Issue }[] } | null {
  const copied = parseCopied(text)
  if (!copied) return null
  const one = { ...field, multiple: false }
  const result: { items: Item[]; refused: { name: string; issue: Issue }[] } = { items: [], refused: [] }
  for (const { name, item: original } of copied) {
    const { _id, ...content } = withNewIds(original)
    // The check uses a single value, which must not have an `_id` in fields where only list items have one.
    const known = typeOf(field).nesting?.ids === 'always' ? { _id, ...content } : content
    const [issue] = parseValue(one, known).issues
    if (issue) result.refused.push({ name, issue })
    else result.items.push(isList(field) ? { _id, ...content } : content)
  }
  return result
}
