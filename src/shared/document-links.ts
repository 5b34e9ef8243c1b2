/** Links of texts to documents of the same app, which are known by `_id` wherever they are (docs/decisions/0042). */

const link = /(\sdata-document=")([0-9a-f]{24})"/g

/** More links than this in one text are links all the same, but are not looked after. */
const maximumLinks = 1_000

/** The `_id`s of documents that links in HTML lead to, each once and in their order. */
export function documentIdsIn(html: string): string[] {
  if (!html.includes('data-document="')) return []
  return [...new Set(Array.from(html.matchAll(link), ([, , id = '']) => id))].slice(0, maximumLinks)
}

/** The HTML with its links leading to other documents. */
export function mapDocumentLinks(html: string, change: (id: string) => string): string {
  if (!html.includes('data-document="')) return html
  return html.replace(link, (_whole, attribute: string, id: string) => `${attribute}${change(id)}"`)
}

const namedModel = /(\sdata-document="[0-9a-f]{24}" data-model=")([^"]*)"/g

/** The HTML with its links naming models by the uids that these have now, by those that they had. */
export function renameLinkedModels(html: string, uids: ReadonlyMap<string, string>): string {
  if (!html.includes('data-model="')) return html
  return html.replace(namedModel, (whole, before: string, uid: string) => {
    const renamed = uids.get(uid)
    return renamed === undefined ? whole : `${before}${renamed}"`
  })
}
