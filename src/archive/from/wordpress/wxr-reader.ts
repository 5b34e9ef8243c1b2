import { SaxesParser } from 'saxes'
import { nothingRead } from '../broken-source.ts'

/** An element of the channel, with its contents. */
export interface XmlNode {
  name: string
  attributes: Record<string, string>
  text: string
  children: XmlNode[]
}

/** Limits for one element of the channel. */
const longestText = 16_000_000
const mostElements = 50_000
const mostAttributes = 100
const deepest = 20
/** Control characters that XML forbids but blogs contain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match them
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/**
 * Yields the elements of an RSS channel. Expands only XML's predefined entities, and refuses a DTD. Throws
 * `BrokenSource`.
 */
export async function* channelNodes(chunks: AsyncIterable<string>, file: string): AsyncGenerator<XmlNode> {
  const parser = new SaxesParser({ xmlns: false })
  const stack: XmlNode[] = []
  let ready: XmlNode[] = []
  let length = 0
  let elements = 0
  let attributes = 0
  const fail = (why: string): never => {
    throw nothingRead([{ file: `${file}:${parser.line}`, why }])
  }
  parser.on('error', (error) => fail(error.message.slice(0, 200)))
  parser.on('doctype', () => fail('doctype'))
  parser.on('opentagstart', () => {
    attributes = 0
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > mostAttributes) fail('attributes')
  })
  parser.on('opentag', ({ name, attributes: given }) => {
    elements += 1
    if (elements > mostElements) fail('elements')
    const node: XmlNode = {
      name,
      attributes: { ...given } as Record<string, string>,
      text: '',
      children: [],
    }
    if (stack.length > deepest) fail('depth')
    // `rss` and `channel` collect no children, so that a feed may have any length.
    if (stack.length > 2) stack.at(-1)?.children.push(node)
    stack.push(node)
  })
  const add = (text: string) => {
    const node = stack.at(-1)
    if (!node || stack.length < 3) return
    length += text.length
    if (length > longestText) fail('bytes')
    node.text += text
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    const node = stack.pop()
    if (!node || stack.length !== 2) return
    ready.push(node)
    length = 0
    elements = 0
  })
  for await (const chunk of chunks) {
    parser.write(chunk.replace(forbidden, ''))
    const done = ready
    ready = []
    yield* done
  }
  parser.close()
  yield* ready
}

/** Returns the text of the first child with that name. */
export const textIn = (node: XmlNode, name: string): string =>
  node.children.find((child) => child.name === name)?.text.trim() ?? ''
