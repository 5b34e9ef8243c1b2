/*
 * Allowed styles in texts: the appearance of words and blocks, by property and value pattern. Nothing may load
 * resources (`url()`) or leave its position in the page (`position`, negative margins).
 */

const size = String.raw`(?:\d{1,4}(?:\.\d{1,6})?|\.\d{1,6})(?:px|pt|em|rem|ch|%|vw)?`
const length = new RegExp(`^(?:auto|${size})$`, 'i')
const lengths = new RegExp(`^(?:auto|${size})(?: (?:auto|${size})){0,3}$`, 'i')
const channels = String.raw`(?:rgb|hsl)a?\([\d.,%/ ]{1,60}\)`
const color = new RegExp(`^(?:#[0-9a-f]{3,8}|[a-z]{3,24}|${channels})$`, 'i')
const line = new RegExp(
  `^(?:0|none|\\d{1,2}px (?:solid|dashed|dotted|double)(?: (?:#[0-9a-f]{3,8}|[a-z]{3,24}|${channels}))?)$`,
  'i',
)

const sides = (name: string) => ['', '-top', '-right', '-bottom', '-left'].map((side) => `${name}${side}`)

/** Patterns of the values by property, without `!important`. */
const patterns: Readonly<Record<string, RegExp>> = {
  color,
  'background-color': color,
  'font-size': new RegExp(`^(?:(?:xx?-)?(?:small|large)|medium|smaller|larger|${size})$`, 'i'),
  'font-weight': /^(?:normal|bold|bolder|lighter|[1-9]00)$/i,
  'font-style': /^(?:normal|italic|oblique)$/i,
  'text-decoration':
    /^(?:none|underline|overline|line-through)(?: (?:underline|overline|line-through)){0,2}$/i,
  'text-align': /^(?:left|right|center|justify|start|end)$/i,
  'text-indent': length,
  'line-height': new RegExp(`^(?:normal|${size})$`, 'i'),
  'letter-spacing': new RegExp(`^(?:normal|${size})$`, 'i'),
  'vertical-align': /^(?:baseline|sub|super|top|middle|bottom|text-top|text-bottom)$/i,
  'white-space': /^(?:normal|nowrap|pre|pre-wrap|pre-line)$/i,
  'list-style-type': /^[a-z-]{1,40}$/i,
  float: /^(?:left|right|none)$/i,
  clear: /^(?:left|right|both|none)$/i,
  'border-collapse': /^(?:collapse|separate)$/i,
  'aspect-ratio': /^[\d.]{1,8}(?: ?\/ ?[\d.]{1,8})?$/,
  ...Object.fromEntries(
    ['width', 'height', 'min-width', 'max-width', 'max-height', 'border-radius'].map((name) => [
      name,
      length,
    ]),
  ),
  ...Object.fromEntries([...sides('margin'), ...sides('padding')].map((name) => [name, lengths])),
  ...Object.fromEntries(sides('border').map((name) => [name, line])),
}

/** In the format of the sanitiser. */
export const contentStyles: Readonly<Record<string, readonly RegExp[]>> = Object.fromEntries(
  Object.entries(patterns).map(([name, pattern]) => [name, [pattern]]),
)

/** Whether a text may have this property with this value. */
export function isContentStyle(property: string, value: string): boolean {
  const pattern = Object.hasOwn(patterns, property) ? patterns[property] : undefined
  return pattern?.test(value.replace(/ *!important$/i, '')) ?? false
}

/** The declarations of a `style`, values unchanged. */
export function declarationsOf(style: string): { property: string; value: string }[] {
  return style.split(';').flatMap((declaration) => {
    const colon = declaration.indexOf(':')
    const property = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase()
    return property === '' ? [] : [{ property, value: declaration.slice(colon + 1).trim() }]
  })
}
