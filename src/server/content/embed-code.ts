import sanitizeHtml from 'sanitize-html'
import {
  droppedEmbedElements,
  embedAttributes,
  embedElements,
  embedScriptHosts,
  isEmbedScript,
  keptEmbedStyle,
  keptFrameValue,
} from '#shared/embed-policy.ts'

/** The policy of shared/embed-policy.ts as options of sanitize-html. */
const policy: sanitizeHtml.IOptions = {
  allowedTags: [...embedElements],
  allowVulnerableTags: true, // isStray removes scripts whose URL is not allowed
  allowedAttributes: embedAttributes as Record<string, string[]>,
  allowedSchemes: ['https'],
  allowedSchemesByTag: { a: ['https', 'http', 'mailto'] },
  allowedScriptHostnames: [...embedScriptHosts],
  // Some services still use protocol-relative URLs, which become https.
  transformTags: {
    iframe: (tagName, attribs) => ({ tagName, attribs: withHttps(attribs) }),
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

function sanitize(html: string): string {
  /** The allowed styles of the open elements. */
  const openStyles: string[] = []
  return sanitizeHtml(html, {
    ...policy,
    onOpenTag: (name, attributes) => {
      for (const [attribute, value] of Object.entries(attributes))
        attributes[attribute] =
          attribute === 'style'
            ? keptEmbedStyle(name, value, openStyles.at(-1) ?? '')
            : keptFrameValue(attribute, value)
      openStyles.push(attributes.style ?? '')
    },
    onCloseTag: () => {
      openStyles.pop()
    },
  }).trim()
}

/**
 * Checks whether an element is a frame or a script without an allowed URL, which would show nothing. sanitize-html
 * itself removes the content of inline scripts (`allowedScriptHostnames`).
 */
function isStray({ tag, attribs }: sanitizeHtml.IFrame): boolean {
  if (tag === 'iframe') return !attribs.src
  return tag === 'script' && !isEmbedScript(attribs.src)
}

/**
 * Sanitizes an embed code by the policy. Returns null if nothing visible remains, or if the result is not stable after
 * four passes. Pure and idempotent.
 */
export function sanitizeEmbedCode(html: string): string | null {
  let clean = html
  for (let pass = 0; pass < 4; pass++) {
    const again = sanitize(clean)
    if (again === clean) return shows.test(clean) ? clean : null
    clean = again
  }
  return null
}

/**
 * Matches elements that can show content: frames, pictures, scripts, and quotes or links that a script turns into a
 * widget.
 */
const shows = /<(?:iframe|img|blockquote|script|a)\b/
