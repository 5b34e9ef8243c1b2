import { getSchema } from '@tiptap/core'
import { DOMSerializer, DOMParser as DocumentParser, type Schema } from '@tiptap/pm/model'
import type { Removal } from '../html-policy.ts'
import { richTextExtensions } from './extensions.ts'
import { forSites } from './kept-attributes.ts'

/**
 * Elements that count as another element. `strike` is equivalent to `s`. `thead` counts as `tbody`, and the loss of a
 * `tbody` is not reported.
 */
const sameAs: Record<string, string> = { strike: 's', thead: 'tbody' }

let schema: Schema | undefined

function throughEditor(body: HTMLElement): HTMLElement {
  schema ??= getSchema(richTextExtensions())
  const result = body.ownerDocument.createElement('body')
  const content = DocumentParser.fromSchema(schema).parse(body).content
  DOMSerializer.fromSchema(schema).serializeFragment(content, { document: body.ownerDocument }, result)
  forSites(result)
  return result
}

/**
 * Returns the parts that the editor would drop from this HTML: elements, attributes and style properties, each once.
 * Empty for HTML that the editor wrote.
 */
export function lossOf(html: string): Removal[] {
  if (!html.includes('<')) return []
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  const kept = partsOf(throughEditor(body))
  const lost: Removal[] = []
  for (const [part, count] of partsOf(body)) {
    const [element = '', attribute, property] = part.split(' ')
    if (count <= (kept.get(part) ?? 0) || element === 'tbody') continue
    lost.push({ element, ...(attribute ? { attribute } : {}), ...(property ? { property } : {}) })
  }
  return lost
}

/** Returns the HTML that remains after the editor has opened it. */
export function asEditorKeepsIt(html: string): string {
  return throughEditor(new DOMParser().parseFromString(html, 'text/html').body).innerHTML
}

/** Normalises HTML: tags and styles are written as browsers serialise them. */
export function canonicalHtml(html: string): string {
  const { body } = new DOMParser().parseFromString(`<body>${html}`, 'text/html')
  for (const element of body.querySelectorAll<HTMLElement>('[style]'))
    if (element.style.length > 0) element.setAttribute('style', element.style.cssText)
  return body.innerHTML
}

/**
 * Counts each element, attribute and style property. Attributes with an empty value or the value `1`, such as
 * `colspan="1"`, are ignored.
 */
function partsOf(body: HTMLElement): Map<string, number> {
  const parts = new Map<string, number>()
  const add = (...names: string[]) => {
    const part = names.join(' ')
    parts.set(part, (parts.get(part) ?? 0) + 1)
  }
  for (const element of body.querySelectorAll<HTMLElement>('*')) {
    const name = sameAs[element.localName] ?? element.localName
    add(name)
    for (const { name: attribute, value } of element.attributes) {
      if (attribute === 'style') for (const property of propertiesOf(value)) add(name, 'style', property)
      else if (value !== '' && value !== '1') add(name, attribute)
    }
  }
  return parts
}

function propertiesOf(style: string): string[] {
  return style
    .split(';')
    .map((declaration) => declaration.slice(0, Math.max(0, declaration.indexOf(':'))).trim())
    .filter((property) => property !== '')
}
