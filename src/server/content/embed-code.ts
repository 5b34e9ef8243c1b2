import sanitizeHtml from 'sanitize-html'
import {
  allowedFeatures,
  droppedEmbedElements,
  embedAttributes,
  embedElements,
  embedScriptHosts,
  embedStyles,
  isEmbedScript,
} from '#shared/embed-policy.ts'

/** The policy of shared/embed-policy.ts in the words of the sanitiser. */
const policy: sanitizeHtml.IOptions = {
  allowedTags: [...embedElements],
  allowVulnerableTags: true, // scripts by their address: see isStray
  allowedAttributes: embedAttributes as Record<string, string[]>,
  allowedStyles: { '*': embedStyles as Record<string, RegExp[]> },
  allowedSchemes: ['https'],
  allowedSchemesByTag: { a: ['https', 'http', 'mailto'] },
  allowedScriptHostnames: [...embedScriptHosts],
  // Services still write addresses that go by the page's protocol; ours are https.
  transformTags: {
    iframe: (tagName, attribs) => ({ tagName, attribs: withHttps(withFeatures(attribs)) }),
    script: (tagName, attribs) => ({ tagName, attribs: withHttps(attribs) }),
    img: (tagName, attribs) => ({ tagName, attribs: withHttps(attribs) }),
  },
  allowProtocolRelative: false,
  allowIframeRelativeUrls: false,
  disallowedTagsMode: 'discard',
  nonTextTags: [...droppedEmbedElements],
  nestingLimit: 30,
  parseStyleAttributes: true,
  exclusiveFilter: isStray,
}

function withHttps(attribs: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  const { src } = attribs
  return src?.startsWith('//') ? { ...attribs, src: `https:${src}` } : attribs
}

function withFeatures(attribs: sanitizeHtml.Attributes): sanitizeHtml.Attributes {
  if (attribs.allow === undefined) return attribs
  return { ...attribs, allow: allowedFeatures(attribs.allow) }
}

/** A frame or script without an address that may be: it would show nothing. What stands in a script is left out anyway. */
function isStray({ tag, attribs }: sanitizeHtml.IFrame): boolean {
  if (tag === 'iframe') return !attribs.src
  return tag === 'script' && !isEmbedScript(attribs.src)
}

/**
 * An embed code by our policy; null when nothing is left that shows something. Pure and idempotent. Called on save, and
 * of what services answer.
 */
export function sanitizeEmbedCode(html: string): string | null {
  let clean = html
  for (let pass = 0; pass < 4; pass++) {
    const again = sanitizeHtml(clean, policy).trim()
    if (again === clean) return shows.test(clean) ? clean : null
    clean = again
  }
  return null
}

/** Something to see: a frame, a picture, or the words that a script makes something of. */
const shows = /<(?:iframe|img|blockquote|script|a)\b/
