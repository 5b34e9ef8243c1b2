const block =
  'address|article|aside|blockquote|dd|div|dl|dt|fieldset|figure|form|h[1-6]|hr|iframe|li|ol|p|pre|section|table|tbody|td|tfoot|th|thead|tr|ul|video'
const startsWithBlock = new RegExp(`^</?(?:${block})\\b`, 'i')
const blockTag = new RegExp(`(</?(?:${block})\\b[^>]*>)`, 'gi')
const sized = /(https?:\/\/[^\s"'<>]{1,2000}?)-\d{1,5}x\d{1,5}(\.(?:jpe?g|png|gif|webp|avif))/gi

/** The HTML of a post without the marks of its blocks; a classic one with its paragraphs. Pictures are the originals, where those are known. */
export function postHtml(content: string, isKnownFile: (url: string) => boolean): string {
  const hasBlocks = content.includes('<!-- wp:')
  const plain = content
    .replace(/<!--\s*\/?wp:[\s\S]*?-->/g, '')
    .replace(/\[caption\b([^\]]*)\]([\s\S]*?)\[\/caption\]/g, figureOf)
  const html = hasBlocks ? plain.replace(/\n{2,}/g, '\n').trim() : paragraphs(plain)
  const original = html.replace(sized, (found, base: string, ending: string) =>
    isKnownFile(base + ending) ? base + ending : found,
  )
  // What begins as a text is HTML all the same.
  return original === '' || original.startsWith('<') ? original : `<p>${original}</p>`
}

function figureOf(_found: string, _attributes: string, inside: string): string {
  const [, picture = inside, words = ''] = /^([\s\S]*<img\b[^>]*>(?:\s*<\/a>)?)([\s\S]*)$/i.exec(inside) ?? []
  const caption = words.trim()
  return `<figure>${picture.trim()}${caption ? `<figcaption>${caption}</figcaption>` : ''}</figure>`
}

/** Blank lines part paragraphs, other line breaks stay. */
function paragraphs(text: string): string {
  if (text.trim() === '') return ''
  // Line breaks in these are their own.
  const whole: string[] = []
  const hidden = text.replace(
    /<(pre|script|style|textarea)\b[\s\S]*?<\/\1>/gi,
    (found) => `\n\n\ue000${whole.push(found) - 1}\ue000\n\n`,
  )
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
