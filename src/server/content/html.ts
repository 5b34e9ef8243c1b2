import MarkdownIt from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import sanitizeHtml from 'sanitize-html'
import { allowedFeatures, embedScriptHosts, embedStyles, isEmbedScript } from '#shared/embed-policy.ts'
import {
  addressAttributes,
  allowedElements,
  attributesOf,
  beginsEmbed,
  droppedWithContent,
  frameSchemes,
  imageSchemes,
  keptAddress,
  keptClasses,
  keptStyle,
  linkSchemes,
  mayHave,
  players,
} from '#shared/html-policy.ts'
import { contentStyles } from '#shared/html-styles.ts'
import { withGitHubMarkdown } from '#shared/markdown.ts'
import { fromQuill, isFromQuill } from '#shared/quill-html.ts'
import { plainHtml } from './plain-html.ts'

const addresses = [...addressAttributes, 'srcset']

const voids = ['br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr']

const names = new Set([...Object.keys(contentStyles), ...Object.keys(embedStyles)])
/** Of any element anywhere; {@link keptStyle} has said before what each may have. */
const styles = Object.fromEntries(
  [...names].map((name) => [name, [...(contentStyles[name] ?? []), ...(embedStyles[name] ?? [])]]),
)

/** The policy in the words of the sanitiser; what depends on where an element stands, {@link keepAttributes} says. */
const policy: sanitizeHtml.IOptions = {
  allowedTags: [...allowedElements],
  allowVulnerableTags: true, // scripts by their address: see transformTags
  allowedAttributes: {
    ...Object.fromEntries(allowedElements.map((tag) => [tag, attributesOf(tag)] as const)),
    input: [{ name: 'type', values: ['checkbox'] }, 'checked', 'disabled'],
  },
  allowedStyles: { '*': styles },
  allowedSchemes: [...linkSchemes],
  allowedSchemesByTag: {
    img: [...imageSchemes],
    ...Object.fromEntries(players.map((tag) => [tag, [...imageSchemes]])),
    iframe: [...frameSchemes],
    script: [...frameSchemes],
  },
  allowedSchemesAppliedToAttributes: [...addressAttributes],
  // What stands in a script is left out anyway.
  allowedScriptHostnames: [...embedScriptHosts],
  // Under their own names: the sanitiser mixes up the closing tags behind an element that it renames and leaves out.
  transformTags: {
    iframe: (tagName, attribs) => ({ tagName, attribs: keptSource(attribs, isHttps) }),
    script: (tagName, attribs) => ({ tagName, attribs: keptSource(attribs, isEmbedScript) }),
  },
  allowProtocolRelative: false,
  allowIframeRelativeUrls: false,
  disallowedTagsMode: 'discard',
  nonTextTags: [...droppedWithContent],
  selfClosing: voids,
  nestingLimit: 100,
  parseStyleAttributes: true,
}

const isHttps = (src: string | undefined) =>
  src !== undefined && /^https:\/\//i.test(src) && URL.canParse(src)

function keptSource(attribs: sanitizeHtml.Attributes, isKept: (src: string | undefined) => boolean) {
  const { src, ...others } = attribs
  return src !== undefined && isKept(src) ? attribs : others
}

/** Takes away what the element must not have where it stands, before the sanitiser looks at what the rest says. */
function keepAttributes(element: string, attributes: sanitizeHtml.Attributes, inEmbed: boolean): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (!mayHave(element, name, value, inEmbed, attributes)) delete attributes[name]
    else if (name === 'class') {
      const kept = keptClasses(element, value, inEmbed)
      if (kept.length > 0) attributes.class = kept.join(' ')
      else delete attributes.class
    } else if (name === 'style') attributes.style = keptStyle(element, value, inEmbed)
    else if (name === 'allow') attributes.allow = allowedFeatures(value)
    else if (name === 'src' || name === 'poster')
      attributes[name] = keptAddress(element, name, value, inEmbed)
  }
}

/** The parser's time grows with the square of the tags that are open at once; no editor writes this many. */
const maximumOpen = 300

/** An address with more comments than this is none: the sanitiser takes them out one by one, copying the rest. */
const maximumComments = 8

const hasManyComments = (address: string) =>
  address.split('<!--', maximumComments + 2).length > maximumComments + 1

/** Such an address is none, either: who reads lists of addresses takes the square of their number. */
const commasInARow = /,{3}/

/** The box of a task list, and no other control: what the policy leaves of the others has no type. */
const controls = /<input[^<>]*>/g
const isBox = (control: string) => control.includes(' type="checkbox"')

/** Frames and scripts, as the sanitiser writes them. */
const foreign = /<(\/?)(?:iframe|script)\b([^<>]*)>/g

/** Takes frames and scripts without an address out, which show and do nothing; what stood in a frame stays. */
function withoutStrays(html: string): string {
  const open: boolean[] = []
  return html.replace(foreign, (tag, closing: string, attributes: string) => {
    if (!closing) open.push(attributes.includes(' src='))
    return (closing ? open.pop() : open.at(-1)) ? tag : ''
  })
}

/** The same HTML in the sanitiser's way of writing, nothing taken away. Throws NestedTooDeeply. */
function wellFormed(html: string): string {
  let open = 0
  return sanitizeHtml(html, {
    allowedTags: false,
    allowedAttributes: false,
    allowVulnerableTags: true,
    selfClosing: voids,
    onOpenTag() {
      if (++open > maximumOpen) throw new NestedTooDeeply()
    },
    onCloseTag() {
      open--
    },
  })
}

/** HTML by our policy, in one pass. Markup that is nested without end is text, not markup. */
function sanitize(source: string): string {
  let open = 0
  /** How many elements are open from the one on that an embed began with. */
  let inEmbed = 0
  try {
    const html = isFromQuill(source) ? fromQuill(wellFormed(source)) : source
    const clean = sanitizeHtml(html, {
      ...policy,
      onOpenTag: (name, attributes) => {
        if (++open > maximumOpen) throw new NestedTooDeeply()
        if (inEmbed > 0 || beginsEmbed(name, attributes)) inEmbed++
        keepAttributes(name, attributes, inEmbed > 0)
        for (const name of addresses) {
          const address = attributes[name]
          if (address && (commasInARow.test(address) || hasManyComments(address))) delete attributes[name]
        }
      },
      onCloseTag: () => {
        open--
        if (inEmbed > 0) inEmbed--
      },
    })
    // Not by the sanitiser's own filter, which copies all that it has written for every tag that it takes away.
    return withoutStrays(clean.replace(controls, (control) => (isBox(control) ? control : '')))
  } catch (error) {
    if (error instanceof NestedTooDeeply) return escapeHtml(source)
    throw error
  }
}

class NestedTooDeeply extends Error {}

const escapeHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Broken markup needs a few passes at most; what is not stable by then is text, not markup. */
const maximumPasses = 8

/** HTML by our policy. Pure and idempotent: sanitising a second time changes nothing. Called on save. */
export const sanitizeRichText = (html: string): string => plainHtml(html) ?? sanitizeByParser(html)

/** {@link sanitizeRichText} of whatever it is: {@link plainHtml} answers the same where it answers. */
export function sanitizeByParser(html: string): string {
  // A tag that was taken away may have kept another one open or closed: go on until nothing changes.
  let clean = sanitize(html)
  for (let pass = 1; pass < maximumPasses; pass++) {
    const again = sanitize(clean)
    if (again === clean) return clean
    clean = again
  }
  return sanitizeHtml(clean, { allowedTags: [], allowedAttributes: {} })
}

/** GFM with hard breaks; emphasis works beside Japanese punctuation. */
const markdown = withGitHubMarkdown(
  new MarkdownIt({ html: true, breaks: true, linkify: true }).use(cjkFriendly),
)

/** Markdown as the HTML sites receive; raw HTML inside goes through the same policy. */
export function renderMarkdown(source: string): string {
  const html = markdown.render(source)
  return plainHtml(html) ?? sanitize(html)
}
