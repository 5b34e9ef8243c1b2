import { normalizeUnicode } from '../unicode.ts'

/**
 * Normalises a colour such as `#FFF`, `ff8800` or `＃ff880080` to `#rrggbb`, or to `#rrggbbaa` if it is translucent.
 * Returns `null` for any other text.
 */
export function readColor(text: string): string | null {
  if (text.length > 100) return null
  const digits = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(
    normalizeUnicode(text, 'NFKC').trim().toLowerCase(),
  )?.[1]
  if (digits === undefined) return null
  const whole = digits.length > 4 ? digits : [...digits].map((digit) => digit + digit).join('')
  return `#${whole.length === 8 && whole.endsWith('ff') ? whole.slice(0, 6) : whole}`
}

/** Returns whether the colour has transparency. */
export const isTranslucent = (color: string) => color.length > 7
