/** Up to fifteen digits and a small exponent: a double always holds these. */
const short = /^[+-]?[\d.]{1,15}(?:[eE][+-]?\d{1,2})?$/

/** Is the number that `text` writes the same number when it comes out of a double again? True for what is no number. */
export function isExactNumber(text: string): boolean {
  if (short.test(text)) return true
  const kept = String(Number(text))
  if (kept === text) return true
  const written = canonical(text)
  return written === undefined || written === canonical(kept)
}

/** Digits without zeros around them, and their power of ten; undefined for what is no number. */
function canonical(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = whole + fraction
  if (digits === '') return text === 'Infinity' || text === '-Infinity' ? text : undefined
  let first = 0
  let last = digits.length
  while (first < last && digits[first] === '0') first++
  while (last > first && digits[last - 1] === '0') last--
  if (first === last) return '0'
  const power = Number(exponent) - fraction.length + digits.length - last
  return `${sign === '-' ? '-' : ''}${digits.slice(first, last)}e${power}`
}
