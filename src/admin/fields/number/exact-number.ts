/** Parses a typed number. Accepts full-width digits, different minus characters and thousands separators. */
export function readNumber(
  typed: string,
): { kind: 'empty' } | { kind: 'number'; value: number } | { kind: 'bad' } {
  const text = plainDigits(typed)
  if (text === '') return { kind: 'empty' }
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)) return { kind: 'bad' }
  const value = Number(text)
  // A number beyond ±(2^53 − 1), or one whose digits would change, is reported as bad instead of being rounded.
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return { kind: 'bad' }
  return significant(text) === significant(String(value)) ? { kind: 'number', value } : { kind: 'bad' }
}

/**
 * Returns typed digits in half width: `１，２３４．５` → `1234.5`. In kana input, the minus key produces the long vowel mark.
 */
export function plainDigits(typed: string): string {
  return typed
    .trim()
    .replace(/[ー−–—]/g, '-')
    .replace(/[。．]/g, '.')
    .normalize('NFKC')
    .replace(/[,、\s_]/g, '')
}

/** Normalises digits and exponent, so that two notations of one number are equal texts. */
function significant(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  if (trimmed === '') return '0'
  const power = Number(exponent) - fraction.length + (digits.length - trimmed.length)
  return `${sign === '-' ? '-' : ''}${trimmed}e${power}`
}

function decimals(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d*\.?(\d*)(?:e([+-]?\d+))?$/.exec(String(value)) ?? []
  return Math.max(0, fraction.length - Number(exponent))
}

/** Returns the number one step up or down in decimal arithmetic (0.1 + 0.2 is 0.3), clamped to the limits. */
export function stepBy(
  value: number,
  step: number,
  direction: 1 | -1,
  limits: { min?: number | null | undefined; max?: number | null | undefined },
): number {
  const places = Math.min(15, Math.max(decimals(value), decimals(step)))
  const next = Number((value + direction * step).toFixed(places))
  return Math.min(
    limits.max ?? Number.MAX_SAFE_INTEGER,
    Math.max(limits.min ?? -Number.MAX_SAFE_INTEGER, next),
  )
}

/**
 * Formats a number for the input. Numbers below 2^53 have no exponent. Numbers below 10^-6 have at most 20 decimals.
 */
export function writeNumber(value: number): string {
  const text = String(value)
  return /e/i.test(text) ? value.toFixed(Math.min(20, decimals(value))) : text
}
