/** Links in texts to documents of the same app, identified by `_id` (docs/decisions/0042). */

const link = /(\sdata-document=")([0-9a-f]{24})"/g

/** Maximum number of linked documents per text that Imori tracks. Further links still work for visitors. */
const maximumLinks = 1_000

/** Returns the `_id`s of documents that the HTML links to, without duplicates, in order. */
export function documentIdsIn(html: string): string[] {
  if (!html.includes('data-document="')) return []
  return [...new Set(Array.from(html.matchAll(link), ([, , id = '']) => id))].slice(0, maximumLinks)
}

/** Replaces the `_id`s of documents in links. */
export function mapDocumentLinks(html: string, change: (id: string) => string): string {
  if (!html.includes('data-document="')) return html
  return html.replace(link, (_whole, attribute: string, id: string) => `${attribute}${change(id)}"`)
}

const namedModel = /(\sdata-document="[0-9a-f]{24}" data-model=")([^"]*)"/g

/** Updates the model uids in links after models were renamed; `uids` maps old uids to new ones. */
export function renameLinkedModels(html: string, uids: ReadonlyMap<string, string>): string {
  if (!html.includes('data-model="')) return html
  return html.replace(namedModel, (whole, before: string, uid: string) => {
    const renamed = uids.get(uid)
    return renamed === undefined ? whole : `${before}${renamed}"`
  })
}
