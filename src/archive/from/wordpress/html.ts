import { fileAddress } from '../values.ts'

const block =
  'address|article|aside|blockquote|dd|div|dl|dt|fieldset|figure|form|h[1-6]|hr|iframe|li|ol|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul|video'
const startsWithBlock = new RegExp(`^</?(?:${block})\\b`, 'i')
const blockTag = new RegExp(`(</?(?:${block})\\b[^<>]*>)`, 'gi')
const sized =
  /(https?:\/\/(?:(?!https?:)[^\s"'<>]){1,2000}?)-\d{1,5}x\d{1,5}(\.(?:jpe?g|png|gif|webp|avif))/gi

/**
 * Returns the HTML of a post without block comments. Classic posts get paragraphs. Resized pictures are replaced by
 * their originals, if these are known.
 */
export function postHtml(content: string, isKnownFile: (url: string) => boolean): string {
  const hasBlocks = content.includes('<!-- wp:')
  const unmarked = upToLast(content, '-->', (text) => text.replace(/<!--\s*\/?wp:[\s\S]*?-->/g, ''))
  const plain = upToLast(unmarked, '[/caption]', (text) =>
    text.replace(/\[caption\b([^\][]*)\]([\s\S]*?)\[\/caption\]/g, figureOf),
  )
  const html = hasBlocks ? plain.replace(/\n{2,}/g, '\n').trim() : paragraphs(plain)
  const original = html.replace(sized, (found, base: string, ending: string) =>
    isKnownFile(base + ending) ? base + ending : found,
  )
  // HTML that starts with text is wrapped in a paragraph; otherwise the value would not be recognised as HTML.
  return original === '' || original.startsWith('<') ? original : `<p>${original}</p>`
}

/**
 * Applies `change` to the text up to the last `end`. Beyond it, every start would be searched for an end, which takes
 * quadratic time.
 */
function upToLast(text: string, end: string, change: (text: string) => string): string {
  const at = text.lastIndexOf(end)
  return at < 0 ? text : change(text.slice(0, at + end.length)) + text.slice(at + end.length)
}

function figureOf(_found: string, _attributes: string, inside: string): string {
  const [, picture = inside, words = ''] =
    /^([\s\S]*<img\b[^<>]*>(?:\s*<\/a>)?)([\s\S]*)$/i.exec(inside) ?? []
  const caption = words.trim()
  return `<figure>${picture.trim()}${caption ? `<figcaption>${caption}</figcaption>` : ''}</figure>`
}

const wholeTags = /<(pre|script|style|textarea)\b/gi

/**
 * Replaces elements whose line breaks are significant. Stops searching for a closing tag once no tag of that name is
 * left.
 */
function replaceWhole(text: string, replace: (found: string) => string): string {
  const endless = new Set<string>()
  let made = ''
  let done = 0
  wholeTags.lastIndex = 0
  for (let found = wholeTags.exec(text); found; found = wholeTags.exec(text)) {
    const name = found[1]?.toLowerCase() ?? ''
    if (endless.has(name)) continue
    const closing = new RegExp(`</${name}>`, 'gi')
    closing.lastIndex = found.index
    if (!closing.test(text)) {
      endless.add(name)
      continue
    }
    made += text.slice(done, found.index) + replace(text.slice(found.index, closing.lastIndex))
    done = closing.lastIndex
    wholeTags.lastIndex = done
  }
  return made + text.slice(done)
}

/** Converts blank lines to paragraphs, and keeps other line breaks. */
function paragraphs(text: string): string {
  if (text.trim() === '') return ''
  // Elements with significant line breaks.
  const whole: string[] = []
  const hidden = replaceWhole(text, (found) => `\n\n\ue000${whole.push(found) - 1}\ue000\n\n`)
  return hidden
    .replace(/\r\n?/g, '\n')
    .replace(blockTag, (tag) => (tag.startsWith('</') ? `${tag}\n\n` : `\n\n${tag}`))
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) =>
      startsWithBlock.test(part) || part.startsWith('\ue000') || part.startsWith('<!--')
        ? part
        : `<p>${part.replace(/\n/g, '<br>\n')}</p>`,
    )
    .join('\n')
    .replace(/\ue000(\d+)\ue000/g, (_found, number) => whole[Number(number)] ?? '')
}

const pictureAddress = /<img\b[^<>]{0,2000}?\ssrc\s*=\s*["']?((?:https?:)?\/\/[^"'\s<>]{1,4096})/gi

/** Returns the URLs of pictures on the web that a text contains. */
export function picturesIn(html: string): URL[] {
  return [...html.matchAll(pictureAddress)].flatMap(([, address]) => {
    const url = fileAddress(address?.replaceAll('&amp;', '&'))
    return url ?? []
  })
}

/** Built-in shortcodes of WordPress. Others are recognised by attributes or a closing tag. */
const ownShortcodes = new Set(['gallery', 'audio', 'video', 'playlist', 'embed', 'caption'])
const shortcode = /\[([a-z][a-z0-9_-]{1,40})((?:\s[^\][<>]{0,500})?)\]/gi

/** Returns the names of the shortcodes in a text, once per occurrence. Plain words in brackets are not counted. */
export function shortcodesIn(html: string): string[] {
  const ended = new Set([...html.matchAll(/\[\/([a-z][a-z0-9_-]{1,40})\]/gi)].map(([, name]) => name))
  return [...html.matchAll(shortcode)].flatMap(([, name = '', attributes = '']) =>
    ownShortcodes.has(name.toLowerCase()) || ended.has(name) || /\w=/.test(attributes) ? [name] : [],
  )
}
