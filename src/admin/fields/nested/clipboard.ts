import { isItem } from '#shared/fields/walk.ts'
import { comparedTexts } from './compared-texts.ts'
import { rememberCopied } from './copied.ts'
import type { Item } from './items.ts'

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

/** What copied items were called where they were copied; null for what we did not write. */
export const namesOfCopied = (text: string): string[] | null =>
  parseCopied(text)?.map(({ name }) => name) ?? null

/** What was copied; null for what we did not write. */
export function parseCopied(text: string): Copied[] | null {
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
