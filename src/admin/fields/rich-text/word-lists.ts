/**
 * Makes lists of what Word writes as paragraphs: of class MsoListParagraph, the bullet or number written out in a span
 * that is to be ignored, the depth in the style (`mso-list:l0 level2 lfo1`).
 */
export function wordLists(document: Document): void {
  /** The lists that are open, outermost first. */
  let open: HTMLElement[] = []
  for (const paragraph of document.body.querySelectorAll<HTMLElement>('p[class*="MsoList"]')) {
    const style = paragraph.getAttribute('style') ?? ''
    const depth = Number(/mso-list:[^;]*\blevel(\d)/.exec(style)?.[1] ?? 1)
    const marker = paragraph.querySelector('span[style*="mso-list"]') ?? paragraph.querySelector('span')
    const numbered = /^\s*[(（]?(?:\d+|[a-zａ-ｚ]|[ivx]+|[①-⑳])[.)）．]?/i.test(marker?.textContent ?? '')
    marker?.remove()
    const name = numbered && !/^\s*o\s*$/.test(marker?.textContent ?? '') ? 'ol' : 'ul'
    const outermost = open[0]
    if (!outermost || paragraph.previousElementSibling !== outermost) open = []
    open = open.slice(0, depth)
    // Another kind of list at the same depth is another list.
    if (open.length === depth && open.at(-1)?.localName !== name) open.pop()
    while (open.length < depth) open.push(newList(document, open.at(-1), name, paragraph))
    const item = document.createElement('li')
    const text = document.createElement('p')
    text.append(...paragraph.childNodes)
    item.append(text)
    open.at(-1)?.append(item)
    paragraph.remove()
  }
}

/** A list in the last item of the list around it, or in the place of the paragraph. */
function newList(document: Document, around: HTMLElement | undefined, name: string, paragraph: Element) {
  const list = document.createElement(name)
  if (!around) paragraph.before(list)
  else {
    const item = around.lastElementChild ?? around.appendChild(document.createElement('li'))
    item.append(list)
  }
  return list
}
