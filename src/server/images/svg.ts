import sanitizeHtml from 'sanitize-html'
import { Refusal } from './refusal.ts'

/*
 * Sanitises SVG to static drawings. Removes scripts and event handlers, foreign content, links, `use` (which multiplies
 * elements), external references, style sheets, animations and filters.
 */

const shapes = [
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'text',
  'tspan',
  'textPath',
]
const containers = [
  'svg',
  'g',
  'defs',
  'symbol',
  'marker',
  'clipPath',
  'mask',
  'pattern',
  'switch',
  'title',
  'desc',
]
const paints = ['linearGradient', 'radialGradient', 'stop']

/** Style properties, as attributes and inside `style`. */
const properties = (
  'color display visibility opacity overflow fill fill-opacity fill-rule stroke stroke-width stroke-opacity ' +
  'stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset clip-path clip-rule mask ' +
  'marker-start marker-mid marker-end stop-color stop-opacity paint-order vector-effect shape-rendering ' +
  'text-rendering font-family font-size font-style font-weight font-variant font-stretch letter-spacing ' +
  'word-spacing text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift writing-mode ' +
  'mix-blend-mode isolation color-interpolation'
).split(' ')

const attributes = (
  'xmlns xmlns:xlink xml:space version id class viewBox width height preserveAspectRatio x y x1 y1 x2 y2 cx cy r rx ry ' +
  'fx fy dx dy d points pathLength transform gradientTransform gradientUnits spreadMethod patternUnits ' +
  'patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits markerUnits markerWidth ' +
  'markerHeight orient refX refY offset rotate textLength lengthAdjust startOffset role aria-label ' +
  'href xlink:href lang'
).split(' ')

/** Returns whether the value refers to nothing outside the drawing. */
const isLocal = (value: string) =>
  !/url\s*\((?!\s*['"]?#[\w.:-]+['"]?\s*\))|javascript:|expression|@import|\\/i.test(value)

/** Values were already checked by {@link isLocal}. */
const anyValue = [/^/]

const strict: sanitizeHtml.IOptions = {
  allowedTags: [...containers, ...shapes, ...paints],
  allowedAttributes: { '*': [...attributes, ...properties, 'style'] },
  allowedStyles: { '*': Object.fromEntries(properties.map((name) => [name, anyValue])) },
  allowedSchemes: [],
  allowProtocolRelative: false,
  nonTextTags: ['script', 'style', 'foreignObject', 'metadata', 'animate', 'set', 'handler', 'iframe'],
  transformTags: {
    '*': (tagName, given) => ({
      tagName,
      attribs: Object.fromEntries(
        Object.entries(given).filter(([name, value]) =>
          name === 'href' || name === 'xlink:href' ? /^#[\w.:-]+$/.test(value) : isLocal(value),
        ),
      ),
    }),
  },
  parser: { xmlMode: true, decodeEntities: true },
}

/** Maximum nesting depth. The sanitiser takes quadratic time in the depth. */
const maximumDepth = 200
/** Maximum number of elements: about as many as fit into the largest SVG. */
const maximumElements = 200_000

/**
 * Runs {@link sanitizeHtml}. Throws `Refusal` as soon as an SVG exceeds the nesting depth or the number of elements.
 */
function sanitize(source: string, options: sanitizeHtml.IOptions): string {
  let elements = 0
  let open = 0
  return sanitizeHtml(source, {
    ...options,
    onOpenTag() {
      if (++elements > maximumElements || ++open > maximumDepth) throw new Refusal('ImageIsTooLarge')
    },
    onCloseTag() {
      open--
    },
  })
}

/** Options that only reserialise the text, for comparison with the sanitised text. */
const permissive: sanitizeHtml.IOptions = {
  allowedTags: false,
  allowedAttributes: false,
  allowVulnerableTags: true,
  parser: { xmlMode: true, decodeEntities: true },
}

/**
 * Constructs that parsers interpret differently or expand. If the source contains one, the sanitised text replaces the
 * source.
 */
const ambiguous = /<!DOCTYPE|<!\[CDATA\[|<!--|<\?(?!xml\s[^?]*\?>)/i

/**
 * Returns the SVG without active content. `null` if it needs no change, so that the original bytes are kept. Throws
 * `Refusal` if it declares entities, because their expansion cannot be trusted, or if it is nested too deeply or too
 * large.
 */
export function sanitizeSvg(source: string): string | null {
  if (/<!ENTITY/i.test(source)) throw new Refusal('UnsupportedMediaType')
  const clean = sanitize(source, strict)
  const isUnchanged = !ambiguous.test(source) && clean === sanitize(source, permissive)
  if (isUnchanged) return null
  return /\sxmlns=/.test(clean.slice(0, clean.indexOf('>')))
    ? clean
    : clean.replace(/<svg\b/, '<svg xmlns="http://www.w3.org/2000/svg"')
}
