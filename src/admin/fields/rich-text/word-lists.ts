/**
 * Markers of numbered lists: numbers, letters and numerals with their punctuation. A single letter without punctuation
 * is a bullet of a symbol font.
 */
const counts =
  /^[(（]?(?:第?\d+|[a-zａ-ｚ]+(?=[.)）．])|[一二三四五六七八九十]+(?=[.)）．、])|[ァ-ンｱ-ﾝ](?=[.)）．])|[①-⑳])/i

/** Styles with a symbol font, in which letters are symbols: an `l` in Wingdings is a dot. */
const drawings = /font-family:[^;]*(?:wingdings|webdings|symbol)/i

/**
 * Converts Word's list paragraphs to lists. The paragraphs have the class `MsoListParagraph`, a marker in an ignorable
 * span, and list and depth in the style (`mso-list:l0 level2 lfo1`). `bullets` is the result of `bulletLevels`, read
 * before styles are removed.
 */
export function wordLists(document: Document, bullets: ReadonlyMap<string, boolean>): void {
  /** The open lists, outermost first, each with Word's id. */
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
    // A different list or list type at this depth starts a new list.
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

/** Returns which levels of Word's lists (`l0:level2`) have bullets, according to the document's styles. */
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

/** Creates a list in the last item of the surrounding list, or before the paragraph if there is no surrounding list. */
function newList(document: Document, around: HTMLElement | undefined, name: string, paragraph: Element) {
  const list = document.createElement(name)
  if (!around) paragraph.before(list)
  else {
    const item = around.lastElementChild ?? around.appendChild(document.createElement('li'))
    item.append(list)
  }
  return list
}
