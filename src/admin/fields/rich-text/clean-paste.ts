/** Elements that carry nothing a reader sees. */
const noise = new Set(['style', 'script', 'meta', 'link', 'title', 'xml', 'template', 'noscript'])

/**
 * Makes HTML from Word, Google Docs and web pages fit for the editor: no styles but bold, italic and alignment, no
 * empty wrappers, lists that Word writes as paragraphs become lists, pictures that only exist on the other computer go.
 */
export function cleanPastedHtml(html: string): string {
  const document = new DOMParser().parseFromString(html, 'text/html')
  const { body } = document
  for (const element of body.querySelectorAll('*')) {
    const name = element.tagName.toLowerCase()
    // Names with a colon are Word's own: `o:p`.
    if (noise.has(name) || name.includes(':')) element.remove()
  }
  for (const comment of commentsOf(document)) comment.remove()
  for (const image of body.querySelectorAll('img'))
    if (!/^https?:\/\//i.test(image.getAttribute('src') ?? '')) image.remove()
  wordLists(document)
  for (const element of body.querySelectorAll<HTMLElement>('[style]')) plainStyle(element)
  for (const element of body.querySelectorAll('[class], [id], [lang], [dir]'))
    for (const name of ['class', 'id', 'lang', 'dir']) element.removeAttribute(name)
  return body.innerHTML
}

function commentsOf(document: Document): Comment[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_COMMENT)
  const comments: Comment[] = []
  while (walker.nextNode()) comments.push(walker.currentNode as Comment)
  return comments
}

/** Google Docs says bold by style, and wraps everything in a `<b>` that is not bold. */
function plainStyle(element: HTMLElement): void {
  const { fontWeight, fontStyle, textAlign } = element.style
  if (element.tagName === 'B' && /^(?:normal|400)$/.test(fontWeight)) {
    element.replaceWith(...element.childNodes)
    return
  }
  const heading = /^H[1-6]$/.test(element.tagName)
  const bold = !heading && (fontWeight === 'bold' || Number(fontWeight) >= 600)
  const kept: string[] = []
  if (/^(?:center|right|justify)$/.test(textAlign)) kept.push(`text-align: ${textAlign}`)
  if (bold) kept.push('font-weight: bold')
  if (fontStyle === 'italic') kept.push('font-style: italic')
  if (kept.length > 0) element.setAttribute('style', kept.join('; '))
  else element.removeAttribute('style')
}

/** Word's list items are paragraphs of class MsoListParagraph with the bullet written out in an ignored span. */
function wordLists(document: Document): void {
  let list: HTMLElement | undefined
  for (const paragraph of document.body.querySelectorAll<HTMLElement>('p[class^="MsoList"]')) {
    const marker = paragraph.querySelector('span[style*="mso-list"]') ?? paragraph.querySelector('span')
    const numbered = /^\s*[(（]?\d+[.)）．]/.test(marker?.textContent ?? paragraph.textContent ?? '')
    marker?.remove()
    const previous = paragraph.previousElementSibling
    const name = numbered ? 'OL' : 'UL'
    if (!list || previous !== list || list.tagName !== name) {
      list = document.createElement(name)
      paragraph.before(list)
    }
    const item = document.createElement('li')
    const text = document.createElement('p')
    text.append(...paragraph.childNodes)
    item.append(text)
    list.append(item)
    paragraph.remove()
  }
}
