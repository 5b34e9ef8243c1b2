import { normalizeUnicode } from '../unicode.ts'

/** A location on earth in degrees, north and east positive. */
export interface Place {
  lat: number
  lng: number
}

/** Returns whether the coordinates are in range. */
export function isOnEarth({ lat, lng }: Place): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180
}

/** Returns a location as a text that {@link readPlace} can read: `35.681236, 139.767125`. */
export const writePlace = ({ lat, lng }: Place): string => `${lat}, ${lng}`

const decimal = String.raw`([+-]?\d{1,3}(?:\.\d{1,20})?)`
// NFKC has turned `″` into `′′`.
const inDegrees = String.raw`(\d{1,3})[°度]\s*(?:(\d{1,2})['′’分]\s*)?(?:(\d{1,2}(?:\.\d{1,10})?)(?:["”]|''|′′|秒)\s*)?`

/** In order of precedence. In the URL of a map, the pin precedes the centre of the map. */
const patterns = [
  new RegExp(`!3d${decimal}!4d${decimal}`),
  new RegExp(String.raw`^https?://[^\s?#]*/@${decimal},${decimal}`),
  new RegExp(String.raw`^https?://[^\s?#]*#(?:map=)?[\d.]{1,5}/${decimal}/${decimal}`),
  new RegExp(
    String.raw`^https?://\S*[?&](?:q|ll|query|center|destination)=(?:loc:)?${decimal}(?:,|%2C)(?:\+|%20)?${decimal}`,
    'i',
  ),
  new RegExp(String.raw`^(?:geo:|\()?\s*${decimal}\s*[,、/\s]\s*${decimal}\s*\)?(?:[?;].{0,100})?$`),
]
const sexagesimal = new RegExp(
  String.raw`^(北緯|南緯)?\s*${inDegrees}([NS])?[\s,、]*(東経|西経)?\s*${inDegrees}([EW])?$`,
  'i',
)

/**
 * Returns the place that a text contains. `null` for any other text, and for coordinates out of range. Examples:
 * `35.68, 139.76`, `35°40′52″N 139°46′2″E`, `北緯35度40分52秒 東経139度46分2秒`, `geo:35.68,139.76`, the URL of a map (Google,
 * OpenStreetMap).
 */
export function readPlace(text: string): Place | null {
  if (text.length > 2_000) return null
  // Runs of white space become one space, because the patterns take quadratic or cubic time in the length of a run.
  const typed = normalizeUnicode(text, 'NFKC').trim().replace(/\s+/gu, ' ')
  for (const pattern of patterns) {
    const [, lat, lng] = pattern.exec(typed) ?? []
    if (lat !== undefined) return placeFrom(Number(lat), Number(lng))
  }
  const parts = sexagesimal.exec(typed)
  if (!parts) return null
  const [, north, latD, latM, latS, ns, east, lngD, lngM, lngS, ew] = parts
  const isSouth = north === '南緯' || ns?.toUpperCase() === 'S'
  const isWest = east === '西経' || ew?.toUpperCase() === 'W'
  return placeFrom(degrees(isSouth, latD, latM, latS), degrees(isWest, lngD, lngM, lngS))
}

/** Returns degrees as a decimal number, rounded to seven decimals (about a centimetre). */
function degrees(
  isNegative: boolean,
  ...[whole, minutes = '0', seconds = '0']: (string | undefined)[]
): number {
  const value = Number(whole) + Number(minutes) / 60 + Number(seconds) / 3600
  return Number((isNegative ? -value : value).toFixed(7))
}

function placeFrom(lat: number, lng: number): Place | null {
  // Adding 0 turns -0 into 0. Otherwise comparisons (`isDeepStrictEqual`, `Object.is`) would find equal locations
  // different.
  const place = { lat: lat + 0, lng: lng + 0 }
  return isOnEarth(place) ? place : null
}
