import type { Issue } from '#shared/errors.ts'
import { parseValue } from '#shared/fields/document.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { isItem } from '#shared/fields/walk.ts'
import { comparedTexts } from './compared-texts.ts'
import { rememberCopied } from './copied.ts'
import { type Item, isList, withNewIds } from './items.ts'

/** What items are called on the clipboard, where they are JSON: `{"items": [{"name", "item"}]}`. */
export const clipboardType = 'application/vnd.imori.items+json'

interface Copied {
  /** What the item was called where it was copied. */
  name: string
  item: Item
}

/** Items for our own lists, also those with a button to paste them, and their texts for everybody else. */
export function writeCopied(data: DataTransfer, items: readonly Copied[]): void {
  const text = JSON.stringify({ items })
  data.setData(clipboardType, text)
  rememberCopied(text)
  data.setData('text/plain', items.map(({ item }) => comparedTexts(item, undefined)[0]).join('\n\n'))
}

/**
 * Items from the clipboard as this field takes them, with `_id`s of their own, and those that do not fit with the first
 * reason why; null for what we did not write.
 */
export function readCopied(
  text: string,
  field: Field,
): { items: Item[]; refused: { name: string; issue: Issue }[] } | null {
  const copied = parse(text)
  if (!copied) return null
  const one = { ...field, multiple: false }
  const result: { items: Item[]; refused: { name: string; issue: Issue }[] } = { items: [], refused: [] }
  for (const { name, item: original } of copied) {
    const { _id, ...content } = withNewIds(original)
    // An item of several has an `_id`, which the field as one of them sees it may not know.
    const known = typeOf(field).nesting?.ids === 'always' ? { _id, ...content } : content
    const [issue] = parseValue(one, known).issues
    if (issue) result.refused.push({ name, issue })
    else result.items.push(isList(field) ? { _id, ...content } : content)
  }
  return result
}

/** What copied items were called where they were copied; null for what we did not write. */
export const namesOfCopied = (text: string): string[] | null => parse(text)?.map(({ name }) => name) ?? null

function parse(text: string): Copied[] | null {
  try {
    const read: unknown = JSON.parse(text)
    if (!isItem(read) || !Array.isArray(read.items)) return null
    const items = read.items.flatMap((copied: unknown) =>
      isItem(copied) && isItem(copied.item) && typeof copied.name === 'string'
        ? [{ name: copied.name.slice(0, 100), item: { ...copied.item, _id: copied.item._id ?? '' } }]
        : [],
    )
    return items.length === read.items.length && items.length > 0 ? items : null
  } catch {
    return null
  }
}
