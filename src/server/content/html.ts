import MarkdownIt from 'markdown-it'
import cjkFriendly from 'markdown-it-cjk-friendly'
import sanitizeHtml from 'sanitize-html'
import { embedScriptHosts, isEmbedScript, keptFrameValue } from '#shared/embed-policy.ts'
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
  withCellAlignment,
} from '#shared/html-policy.ts'
import { withGitHubMarkdown } from '#shared/markdown.ts'
import { fromQuill, isFromQuill } from '#shared/quill-html.ts'
import { plainHtml } from './plain-html.ts'

const addresses = [...addressAttributes, 'srcset']

const voids = ['br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr']

/**
 * The policy as options of sanitize-html. {@link keepAttributes} applies the rules that depend on an element's
 * position.
 */
const policy: sanitizeHtml.IOptions = {
  allowedTags: [...allowedElements],
  allowVulnerableTags: true, // scripts are allowed by URL only: see transformTags
  allowedAttributes: {
    ...Object.fromEntries(allowedElements.map((tag) => [tag, attributesOf(tag)] as const)),
    input: [{ name: 'type', values: ['checkbox'] }, 'checked', 'disabled'],
  },
  allowedSchemes: [...linkSchemes],
  allowedSchemesByTag: {
    img: [...imageSchemes],
    ...Object.fromEntries(players.map((tag) => [tag, [...imageSchemes]])),
    iframe: [...frameSchemes],
    script: [...frameSchemes],
  },
  allowedSchemesAppliedToAttributes: [...addressAttributes],
  // With this option, sanitize-html also removes the content of inline scripts.
  allowedScriptHostnames: [...embedScriptHosts],
  // Tags keep their names: sanitize-html confuses the closing tags after an element that it both renames and removes.
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

/**
 * Converts or removes attributes that the element must not have at its position. Runs before sanitize-html checks the
 * remaining values.
 */
function keepAttributes(
  element: string,
  attributes: sanitizeHtml.Attributes,
  inEmbed: boolean,
  parentStyle: string,
): void {
  const aligned = withCellAlignment(element, attributes)
  if (aligned !== attributes) {
    delete attributes.align
    attributes.style = aligned.style ?? ''
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (!mayHave(element, name, value, inEmbed, attributes)) delete attributes[name]
    else if (name === 'class') {
      const kept = keptClasses(element, value, inEmbed)
      if (kept.length > 0) attributes.class = kept.join(' ')
      else delete attributes.class
    } else if (name === 'style') attributes.style = keptStyle(element, value, inEmbed, parentStyle)
    else if (name === 'allow' || name === 'sandbox') attributes[name] = keptFrameValue(name, value)
    else if (name === 'src' || name === 'poster')
      attributes[name] = keptAddress(element, name, value, inEmbed)
  }
}

/** Maximum number of open tags. The parser's time grows with the square of their number. */
const maximumOpen = 300

/**
 * Maximum number of comments in a URL attribute. sanitize-html removes comments one by one and copies the rest each
 * time, so attributes with more comments are dropped.
 */
const maximumComments = 8

const hasManyComments = (address: string) =>
  address.split('<!--', maximumComments + 2).length > maximumComments + 1

/**
 * Matches three commas in a row. URL attributes with them are dropped, because parsing a `srcset` takes quadratic time
 * in the number of commas.
 */
const commasInARow = /,{3}/

/** Only checkboxes, as in task lists, are kept. The policy removes the type of other inputs. */
const controls = /<input[^<>]*>/g
const isBox = (control: string) => control.includes(' type="checkbox"')

/** Matches frames and scripts as sanitize-html writes them. */
const foreign = /<(\/?)(?:iframe|script)\b([^<>]*)>/g

/** Removes frames and scripts without `src`, which have no effect. The content of a frame is kept. */
function withoutStrays(html: string): string {
  const open: boolean[] = []
  return html.replace(foreign, (tag, closing: string, attributes: string) => {
    if (!closing) open.push(attributes.includes(' src='))
    return (closing ? open.pop() : open.at(-1)) ? tag : ''
  })
}

/**
 * Returns the HTML as sanitize-html serializes it, with all elements. sanitize-html still drops comments, the doctype
 * and some attributes, such as URLs with a scheme that it does not allow. Throws `NestedTooDeeply` for more than 300
 * open tags.
 */
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

/** Applies the policy in one pass. If the markup is nested too deeply, the whole source is escaped as text. */
function sanitize(source: string): string {
  /** The allowed styles of the open elements. */
  const openStyles: string[] = []
  /** Number of open elements, counted from the element that starts an embed; 0 outside embeds. */
  let inEmbed = 0
  try {
    const html = isFromQuill(source) ? fromQuill(wellFormed(source)) : source
    const clean = sanitizeHtml(html, {
      ...policy,
      onOpenTag: (name, attributes) => {
        if (openStyles.length === maximumOpen) throw new NestedTooDeeply()
        if (inEmbed > 0 || beginsEmbed(name, attributes)) inEmbed++
        keepAttributes(name, attributes, inEmbed > 0, openStyles.at(-1) ?? '')
        openStyles.push(attributes.style ?? '')
        for (const name of addresses) {
          const address = attributes[name]
          if (address && (commasInARow.test(address) || hasManyComments(address))) delete attributes[name]
        }
      },
      onCloseTag: () => {
        openStyles.pop()
        if (inEmbed > 0) inEmbed--
      },
    })
    // The filter of sanitize-html is not used: it copies all output so far for every tag that it removes.
    return withoutStrays(clean.replace(controls, (control) => (isBox(control) ? control : '')))
  } catch (error) {
    if (error instanceof NestedTooDeeply) return escapeHtml(source)
    throw error
  }
}

class NestedTooDeeply extends Error {}

const escapeHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Maximum number of passes. If the result is not stable by then, all tags are stripped. */
const maximumPasses = 8

/** Sanitizes HTML by the policy. Pure and idempotent. */
export const sanitizeRichText = (html: string): string => plainHtml(html) ?? sanitizeByParser(html)

/** Sanitizes like {@link sanitizeRichText}, but without the fast path {@link plainHtml}. */
export function sanitizeByParser(html: string): string {
  // Removing a tag can change how other tags are opened and closed, so passes repeat until nothing changes.
  let clean = sanitize(html)
  for (let pass = 1; pass < maximumPasses; pass++) {
    const again = sanitize(clean)
    if (again === clean) return clean
    clean = again
  }
  return sanitizeHtml(clean, { allowedTags: [], allowedAttributes: {} })
}

/** GFM with hard line breaks. Emphasis also works next to Japanese punctuation. */
const markdown = withGitHubMarkdown(
  new MarkdownIt({ html: true, breaks: true, linkify: true }).use(cjkFriendly),
)

/** Renders Markdown to the HTML that sites receive. Raw HTML in the source is sanitized by the policy of rich text. */
export function renderMarkdown(source: string): string {
  const html = markdown.render(source)
  return plainHtml(html) ?? sanitize(html)
}
