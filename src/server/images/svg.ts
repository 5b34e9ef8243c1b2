import sanitizeHtml from 'sanitize-html'
import { Refusal } from './refusal.ts'

/*
 * Drawings that do nothing but draw. What is left out: scripts and events, foreign content, links, `use` (which
 * multiplies), references to anything outside, style sheets, animations and filters.
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

/** Properties of style, as attributes and inside `style`. */
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

/** Refers to nothing but a part of the same drawing. */
const isLocal = (value: string) =>
  !/url\s*\((?!\s*['"]?#[\w.:-]+['"]?\s*\))|javascript:|expression|@import|\\/i.test(value)

/** Values have gone through {@link isLocal} before. */
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

/** The same text written by the same serializer, nothing taken away. */
const permissive: sanitizeHtml.IOptions = {
  allowedTags: false,
  allowedAttributes: false,
  allowVulnerableTags: true,
  parser: { xmlMode: true, decodeEntities: true },
}

/** Constructs that parsers read in different ways, or that expand: with any of them the drawing is written anew. */
const ambiguous = /<!DOCTYPE|<!\[CDATA\[|<!--|<\?(?!xml\s[^?]*\?>)/i

/**
 * The drawing without anything that could act; null when it is as it was, byte for byte. Throws Refusal for one that
 * declares entities: what they stand for would have to be believed.
 */
export function sanitizeSvg(source: string): string | null {
  if (/<!ENTITY/i.test(source)) throw new Refusal('UnsupportedMediaType')
  const clean = sanitizeHtml(source, strict)
  const isUnchanged = !ambiguous.test(source) && clean === sanitizeHtml(source, permissive)
  if (isUnchanged) return null
  return /\sxmlns=/.test(clean.slice(0, clean.indexOf('>')))
    ? clean
    : clean.replace(/<svg\b/, '<svg xmlns="http://www.w3.org/2000/svg"')
}
