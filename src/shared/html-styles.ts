/*
 * Allowed styles in texts: the appearance of words and blocks, by property and value pattern. A style must not load
 * resources (`url()`), and must not move or enlarge an element over other content (`position`, negative or excessive
 * lengths). A width in `vw` can exceed the container, so `vw` is allowed for maximum sizes of boxes only, not for other
 * sizes of boxes.
 */

/** Returns a pattern for a number without a sign. `digits` is the maximum number of digits before the point. */
const number = (digits: number) => String.raw`(?:\d{1,${digits}}(?:\.\d{1,6})?|\.\d{1,6})`
const percent = String.raw`(?:${number(2)}|100(?:\.0{1,6})?)%`
const absolute = `${number(4)}(?:px|pt)?`
const size = `(?:${absolute}|${number(2)}(?:em|rem|ch)|${percent})`
const viewport = `(?:${number(2)}|100)(?:vw|vh)`
const length = new RegExp(`^(?:auto|${size})$`, 'i')
const limit = new RegExp(`^(?:auto|none|${size}|${viewport})$`, 'i')
const height = new RegExp(`^(?:auto|${size}|(?:${number(2)}|100)vh)$`, 'i')
const lengths = new RegExp(`^(?:auto|${size})(?: (?:auto|${size})){0,3}$`, 'i')
// Padding sets the proportions of responsive frames. It exceeds 100 % for frames that are higher than wide.
const padding = `(?:${size}|${number(3)}%)`
const paddings = new RegExp(`^${padding}(?: ${padding}){0,3}$`, 'i')
const channels = String.raw`(?:rgb|hsl)a?\([\d.,%/ ]{1,60}\)`
const color = new RegExp(`^(?:#[0-9a-f]{3,8}|[a-z]{3,24}|${channels})$`, 'i')
const line = new RegExp(
  `^(?:(?:0|none)(?:px)?|\\d{1,2}px (?:solid|dashed|dotted|double)(?: (?:#[0-9a-f]{3,8}|[a-z]{3,24}|${channels}))?)$`,
  'i',
)
const letters = String.raw`(?:${number(2)}|1\d\d)(?:px|pt)|${number(1)}(?:em|rem|vw)|${number(3)}%`

const sides = (name: string) => ['', '-top', '-right', '-bottom', '-left'].map((side) => `${name}${side}`)

/** Patterns of values by property. They are tested without `!important`. */
export type StylePatterns = Readonly<Record<string, RegExp>>

export const contentStyles: StylePatterns = {
  color,
  'background-color': color,
  'font-size': new RegExp(`^(?:(?:xx?-)?(?:small|large)|medium|smaller|larger|${letters})$`, 'i'),
  'font-weight': /^(?:normal|bold|bolder|lighter|[1-9]00)$/i,
  'font-style': /^(?:normal|italic|oblique)$/i,
  'text-decoration':
    /^(?:none|underline|overline|line-through)(?: (?:underline|overline|line-through)){0,2}$/i,
  'text-align': /^(?:left|right|center|justify|start|end)$/i,
  'text-indent': length,
  'line-height': new RegExp(`^(?:normal|${number(1)}|${letters})$`, 'i'),
  'letter-spacing': new RegExp(`^(?:normal|0|${number(2)}(?:px|pt)|${number(1)}(?:em|rem))$`, 'i'),
  'vertical-align': /^(?:baseline|sub|super|top|middle|bottom|text-top|text-bottom)$/i,
  'white-space': /^(?:normal|nowrap|pre|pre-wrap|pre-line)$/i,
  'list-style-type': /^[a-z-]{1,40}$/i,
  float: /^(?:left|right|none)$/i,
  clear: /^(?:left|right|both|none)$/i,
  'border-collapse': /^(?:collapse|separate)$/i,
  'aspect-ratio': /^[\d.]{1,8}(?: ?\/ ?[\d.]{1,8})?$/,
  width: length,
  height,
  'min-width': length,
  'max-width': limit,
  'max-height': limit,
  'border-radius': length,
  ...Object.fromEntries(sides('margin').map((name) => [name, lengths])),
  ...Object.fromEntries(sides('padding').map((name) => [name, paddings])),
  ...Object.fromEntries(sides('border').map((name) => [name, line])),
}

/** Returns whether the patterns allow this value for the property, with or without `!important`. */
export function allowsStyle(patterns: StylePatterns, property: string, value: string): boolean {
  const pattern = Object.hasOwn(patterns, property) ? patterns[property] : undefined
  return pattern?.test(value.replace(/ *!important$/i, '')) ?? false
}

export interface Declaration {
  property: string
  value: string
}

/** Returns the declarations of a `style`, with their values unchanged. */
export function declarationsOf(style: string): Declaration[] {
  return style.split(';').flatMap((declaration) => {
    const colon = declaration.indexOf(':')
    const property = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase()
    return property === '' ? [] : [{ property, value: declaration.slice(colon + 1).trim() }]
  })
}

/** Serialises declarations as a `style`. */
export const styleOf = (declarations: readonly Declaration[]): string =>
  declarations.map(({ property, value }) => `${property}:${value}`).join(';')
