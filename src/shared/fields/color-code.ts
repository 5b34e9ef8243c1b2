import { normalizeUnicode } from '../unicode.ts'

/**
 * A colour as people write it (`#FFF`, `ff8800`, `＃ff880080`) in the one form it is kept in: `#rrggbb`, or `#rrggbbaa`
 * when something shines through. null for anything else.
 */
export function readColor(text: string): string | null {
  const digits = /^#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/.exec(
    normalizeUnicode(text, 'NFKC').trim().toLowerCase(),
  )?.[1]
  if (digits === undefined) return null
  const whole = digits.length > 4 ? digits : [...digits].map((digit) => digit + digit).join('')
  return `#${whole.length === 8 && whole.endsWith('ff') ? whole.slice(0, 6) : whole}`
}

/** Does something shine through this colour? */
export const isTranslucent = (color: string) => color.length > 7
