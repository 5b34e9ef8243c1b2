import {
  type Fit,
  fits,
  formatOf,
  isAnimatable,
  isPicture,
  type OutputFormat,
  type Region,
  resultSize,
  type Transform,
} from '#server/images/transform.ts'
import { largestSide } from '#shared/image-settings.ts'
import type { AssetRow } from './asset-rows.ts'
import { DeliveryError } from './errors.ts'

/** The query parameters of an asset's URL. Unknown parameters are ignored. */
export interface Asked {
  /** undefined: the original file. */
  transform: WantedTransform | undefined
  version: string | undefined
  /** Seconds since 1970. */
  expires: number | undefined
  signature: string | undefined
  /** The parameters covered by the signature, as they are in the URL. */
  signed: Record<string, string>
}

export interface WantedTransform {
  extract?: Region
  width?: number
  height?: number
  fit?: Fit
  quality?: number
  format?: OutputFormat | 'auto'
}

const formats: Record<string, OutputFormat | 'auto'> = {
  jpeg: 'jpeg',
  jpg: 'jpeg',
  png: 'png',
  webp: 'webp',
  avif: 'avif',
  auto: 'auto',
}

/** `read` parses the text of a parameter. If `read` returns undefined, the error message contains `rule`. */
interface Parameter<Value> {
  read(text: string): Value | undefined
  rule: string
}

const side: Parameter<number> = {
  read: (text) => whole(text, 1, largestSide),
  rule: `must be a whole number from 1 to ${largestSide}`,
}

const parameters: { [Name in keyof WantedTransform]-?: Parameter<NonNullable<WantedTransform[Name]>> } = {
  width: side,
  height: side,
  fit: { read: (text) => fits.find((fit) => fit === text), rule: `must be one of ${fits.join(', ')}` },
  extract: { read: readRegion, rule: 'must be left,top,width,height in whole pixels' },
  quality: { read: (text) => whole(text, 1, 100), rule: 'must be a whole number from 1 to 100' },
  format: {
    read: (text) => (Object.hasOwn(formats, text.toLowerCase()) ? formats[text.toLowerCase()] : undefined),
    rule: 'must be one of jpeg, png, webp, avif, auto',
  },
}
const isTransformParameter = (name: string): name is keyof WantedTransform => Object.hasOwn(parameters, name)

function readRegion(text: string): Region | undefined {
  const [left, top, width, height, ...more] = text.split(',').map((part) => whole(part, 0, 1_000_000))
  if (left === undefined || top === undefined || !width || !height || more.length > 0) return undefined
  return { left, top, width, height }
}

function whole(text: string, min: number, max: number): number | undefined {
  if (!/^\d{1,7}$/.test(text)) return undefined
  const number = Number(text)
  return number >= min && number <= max ? number : undefined
}

const others = ['v', 'expires', 'signature'] as const

/** Parses a query string. Throws a `DeliveryError` with the name of the invalid parameter. */
export function readParameters(queryString: string): Asked {
  const wanted: Record<string, unknown> = {}
  const given: Record<string, string> = {}
  for (const [name, text] of new URLSearchParams(queryString)) {
    const isOther = (others as readonly string[]).includes(name)
    if (!isOther && !isTransformParameter(name)) continue
    if (Object.hasOwn(given, name)) throw wrong(name, 'must be given once')
    given[name] = text
    if (!isTransformParameter(name)) continue
    const { read, rule } = parameters[name]
    wanted[name] = read(text) ?? fail(name, rule)
  }
  const { v, signature, ...signed } = given
  const expires = given.expires === undefined ? undefined : readTime(given.expires)
  return {
    transform: Object.keys(wanted).length > 0 ? (wanted as WantedTransform) : undefined,
    version: v,
    expires,
    signature,
    signed,
  }
}

function readTime(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw wrong('expires', 'must be a time in seconds since 1970')
  return Number(text)
}

/**
 * Returns the transform for a request. Its format is the requested one. `auto` selects the first format of the space's
 * settings that the browser accepts, but no AVIF for a GIF. Without a requested or accepted format, the usual output
 * format of the source applies. Throws a `DeliveryError` with the name of the parameter that does not fit the asset.
 */
export function planTransform(asset: AssetRow, wanted: WantedTransform, accept: string): Transform {
  const [first = 'width'] = Object.keys(wanted)
  const { width, height, mediaType, settings } = asset
  if (width === null || height === null || !isPicture(mediaType))
    throw wrong(first, 'is for pictures, and this file is none')
  if (mediaType === 'image/svg+xml' && wanted.format === undefined)
    throw wrong('format', 'must be given for SVG: jpeg, png, webp, avif or auto')
  const format =
    wanted.format === 'auto' ? bestFormat(asset, accept) : (wanted.format ?? usualFormat(mediaType))
  const { extract } = wanted
  if (extract && (extract.left + extract.width > width || extract.top + extract.height > height))
    throw wrong('extract', `must lie inside the picture, which has ${width} × ${height} pixels`)
  const quality = wanted.quality ?? (format === 'png' || format === 'gif' ? undefined : settings.quality)
  const { format: _format, quality: _quality, ...shape } = wanted
  const transform: Transform = { ...shape, format, ...(quality === undefined ? {} : { quality }) }
  const size = resultSize({ width, height }, transform)
  const grows = (name: 'width' | 'height') => size[name] > largestSide && size[name] > { width, height }[name]
  for (const name of ['width', 'height'] as const)
    if (grows(name))
      throw wrong(
        wanted.width === undefined ? 'height' : 'width',
        `would make the ${name} ${size[name]} pixels; ${largestSide} are allowed`,
      )
  return transform
}

function bestFormat({ mediaType, settings }: AssetRow, accept: string): OutputFormat {
  const taken = settings.formats.find((format) => accept.includes(`image/${format}`))
  // Animated AVIF is not supported.
  if (mediaType === 'image/gif' && taken === 'avif')
    return accept.includes('image/webp') && settings.formats.includes('webp') ? 'webp' : 'gif'
  return taken ?? usualFormat(mediaType)
}

/**
 * Returns the usual output format of a source: its own format, JPEG for TIFF, or PNG for SVG, because PNG keeps
 * transparency.
 */
function usualFormat(mediaType: string): OutputFormat {
  return formatOf(mediaType) ?? (mediaType === 'image/tiff' ? 'jpeg' : 'png')
}

/**
 * Returns the name of the parameter that needs a signature under the space's settings. undefined: anyone may request
 * this transform.
 */
export function needsSignature({ settings }: AssetRow, wanted: WantedTransform): string | undefined {
  if (settings.transforms === 'any') return undefined
  if (settings.transforms === 'signed') return Object.keys(wanted)[0]
  if (wanted.width !== undefined && !settings.widths.includes(wanted.width)) return 'width'
  return Object.keys(wanted).find((name) => name !== 'width' && name !== 'format')
}

/** Returns a transform as text. Transforms with equal texts produce the same bytes from the same picture. */
export function canonical(transform: Transform): string {
  const { extract, width, height, fit, format, quality } = transform
  const cut = extract && [extract.left, extract.top, extract.width, extract.height].join()
  const shape = width === undefined || height === undefined ? undefined : (fit ?? 'cover')
  return JSON.stringify([cut, width, height, shape, format, quality, isAnimatable(format)])
}

function fail(name: string, sentence: string): never {
  throw wrong(name, sentence)
}

const wrong = (name: string, sentence: string) =>
  new DeliveryError('InvalidQueryParameter', `The parameter "${name}" ${sentence}.`)
