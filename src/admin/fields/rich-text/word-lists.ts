/** Numbers, letters and characters that count, with what stands around them; letters alone are bullets of fonts. */
const counts =
  /^[(（]?(?:第?\d+|[a-zａ-ｚ]+(?=[.)）．])|[一二三四五六七八九十]+(?=[.)）．、])|[ァ-ンｱ-ﾝ](?=[.)）．])|[①-⑳])/i

/** Fonts whose letters are drawings: an `l` of Wingdings is a dot. */
const drawings = /font-family:[^;]*(?:wingdings|webdings|symbol)/i

/**
 * Makes lists of what Word writes as paragraphs: of class MsoListParagraph, the bullet or number written out in a span
 * that is to be ignored, the list and the depth in the style (`mso-list:l0 level2 lfo1`). `bullets`: what
 * `bulletLevels` found before the styles went.
 */
export function wordLists(document: Document, bullets: ReadonlyMap<string, boolean>): void {
  /** The lists that are open, outermost first, each with what Word calls it. */
  let open: { element: HTMLElement; id: string }[] = []
  for (const paragraph of document.body.querySelectorAll<HTMLElement>('p[class*="MsoList"]')) {
    const style = paragraph.getAttribute('style') ?? ''
    const [, id = '', level = '1'] = /mso-list:\s*(l\d+)?(?:[^;]*\blevel(\d))?/.exec(style) ?? []
    const depth = Number(level)
    const marker = paragraph.querySelector('span[style*="mso-list"]') ?? paragraph.querySelector('span')
    const isBullet = bullets.get(`${id}:level${depth}`) ?? !isNumber(marker, paragraph)
    marker?.remove()
    const name = isBullet ? 'ul' : 'ol'
    if (paragraph.previousElementSibling !== open[0]?.element) open = []
    open = open.slice(0, depth)
    const last = open.at(-1)
    // Another list at the same depth, or another kind of one.
    if (last && open.length === depth && (last.element.localName !== name || last.id !== id)) open.pop()
    while (open.length < depth)
      open.push({ element: newList(document, open.at(-1)?.element, name, paragraph), id })
    const item = document.createElement('li')
    const text = document.createElement('p')
    text.append(...paragraph.childNodes)
    item.append(text)
    open.at(-1)?.element.append(item)
    paragraph.remove()
  }
}

/** Which levels of Word's lists have bullets (`l0:level2`), as far as its own styles in the document say. */
export function bulletLevels(document: Document): Map<string, boolean> {
  const styles = [...document.querySelectorAll('style')].map(({ textContent }) => textContent).join('\n')
  const found = new Map<string, boolean>()
  for (const [, level = '', rules = ''] of styles.matchAll(/@list\s+(l\d+:level\d+)[^{}]*\{([^{}]*)\}/g)) {
    const [, format] = /mso-level-number-format:\s*([\w-]+)/.exec(rules) ?? []
    if (format) found.set(level, format === 'bullet')
  }
  return found
}

function isNumber(marker: Element | null, paragraph: Element): boolean {
  if (!counts.test((marker?.textContent ?? '').trim())) return false
  for (let at = marker; at && at !== paragraph; at = at.parentElement)
    if (drawings.test(at.getAttribute('style') ?? '')) return false
  return true
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
