/** Elements and attributes that this editor reads and writes back. */
const known: Record<string, readonly string[]> = {
  p: ['style'],
  h1: ['style'],
  h2: ['style'],
  h3: ['style'],
  h4: ['style'],
  h5: ['style'],
  h6: ['style'],
  br: [],
  hr: [],
  strong: [],
  b: [],
  em: [],
  i: [],
  u: [],
  s: [],
  del: [],
  strike: [],
  code: ['class'],
  pre: [],
  blockquote: [],
  ul: [],
  ol: ['start', 'type'],
  li: [],
  a: ['href', 'target', 'rel', 'class', 'title'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  table: [],
  tbody: [],
  thead: [],
  tr: [],
  th: ['colspan', 'rowspan'],
  td: ['colspan', 'rowspan'],
}

/**
 * What the editor would drop from this HTML: names of elements (`iframe`) and attributes (`p[class]`), each once.
 * Empty for what the editor wrote itself.
 */
export function lossOf(html: string): string[] {
  if (!html.includes('<')) return []
  const lost = new Set<string>()
  const body = new DOMParser().parseFromString(html, 'text/html').body
  for (const element of body.querySelectorAll('*')) {
    const name = element.tagName.toLowerCase()
    const attributes = known[name]
    if (!attributes) {
      lost.add(name)
      continue
    }
    for (const attribute of element.getAttributeNames()) {
      const lostStyle =
        attribute === 'style' && !/^\s*text-align:[^;]*;?\s*$/.test(element.getAttribute('style') ?? '')
      if (!attributes.includes(attribute) || lostStyle) lost.add(`${name}[${attribute}]`)
    }
  }
  return [...lost].sort()
}
