import { isItem } from '#shared/fields/walk.ts'
import { comparedTexts } from './compared-texts.ts'
import { rememberCopied } from './copied.ts'
import type { Item } from './items.ts'

/** The MIME type of copied items, as JSON: `{"items": [{"name", "item"}]}`. */
export const clipboardType = 'application/vnd.imori.items+json'

interface Copied {
  name: string
  item: Item
}

/** Writes items as JSON for Imori's own lists, and as plain text for other programs. Also calls `rememberCopied`. */
export function writeCopied(data: DataTransfer, items: readonly Copied[]): void {
  const text = JSON.stringify({ items })
  data.setData(clipboardType, text)
  rememberCopied(text)
  data.setData('text/plain', items.map(({ item }) => comparedTexts(item, undefined)[0]).join('\n\n'))
}

/** Returns the names of copied items; null if the text is not in Imori's format. */
export const namesOfCopied = (text: string): string[] | null =>
  parseCopied(text)?.map(({ name }) => name) ?? null

/** Parses copied items. Returns null if the text is not in Imori's format or contains no items. */
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
