import { describe, expect, it } from 'vitest'
import { keptEmbedStyle, keptFrameValue } from './embed-policy.ts'
import { keptStyle, mayHave } from './html-policy.ts'

/** Returns the allowed style of an element, and expects the style rules of rich text and embed codes to agree on it. */
const inEmbed = (element: string, style: string, parentStyle = '') => {
  const kept = keptStyle(element, style, true, parentStyle)
  expect(keptEmbedStyle(element, style, parentStyle)).toBe(kept)
  return kept
}
const fills = 'position:absolute;top:0;left:0;width:100%;height:100%'
const parent = 'position:relative;padding-bottom:56.25%'

describe('keptStyle for an absolutely positioned element', () => {
  it.each([
    fills,
    'top:0;left:0;width:100%;height:100%;position:absolute;border:0',
    'position:absolute;top:0px;left:0px;bottom:0px;right:0px;width:100%;height:100%;margin:0;padding:0;border:none',
    'position:absolute;top:0;left:0;width:50%;height:99.5%;max-width:100%;border-radius:8px;overflow:hidden',
  ])('keeps the style %s of a frame in a positioned parent', (style) => {
    expect(inEmbed('iframe', style, parent)).toBe(style)
    expect(inEmbed('iframe', style, inEmbed('div', parent))).toBe(style)
  })

  it.each([
    ['margin-top:-900px', ''],
    ['margin:900px', ''],
    ['padding:900px', ''],
    ['min-width:900px', ''],
    ['width:9999px', ''],
    ['width:9999px!important', ''],
    ['top:-1px', ''],
    ['position:fixed', ''],
    ['z-index:9', ''],
    ['border:99px solid red', ''],
    ['border:0', ';border:0'],
  ])(
    'given the further declaration %s, returns the allowed style of a frame with %j appended',
    (more, kept) => expect(inEmbed('iframe', `${fills};${more}`, parent)).toBe(fills + kept),
  )

  it.each([
    ['no positioned parent', fills, ''],
    ['an absolutely positioned parent', fills, 'position:absolute'],
    ['no width', 'position:absolute;top:0;left:0;height:100%', parent],
    ['a width over 100%', 'position:absolute;top:0;left:0;width:101%;height:100%', parent],
    ['a width in pixels', 'position:absolute;top:0;left:0;width:9999px;height:100%', parent],
    ['no offsets', 'position:absolute;width:100%;height:100%', parent],
    [
      'offsets only at the bottom and right',
      'position:absolute;bottom:0;right:0;width:100%;height:100%',
      parent,
    ],
    ['a negative offset', 'position:absolute;top:-9px;left:0;width:100%;height:100%', parent],
  ])('removes `position` if the frame has %s', (_name, style, parentStyle) =>
    expect(inEmbed('iframe', style, parentStyle)).not.toContain('position'),
  )

  it.each(['div', 'section', 'blockquote', 'img'])(
    'removes `position:absolute` from the element %s',
    (element) => expect(inEmbed(element, fills, parent)).toBe('top:0;left:0;width:100%;height:100%'),
  )
})

describe('keptStyle in an embed', () => {
  it.each([
    'width:100%;height:0;position:relative;padding-bottom:56.25%;left:0',
    'padding:177.78% 0 0 0;position:relative',
    'max-width:540px;min-width:326px;width:99.375%;margin:1px;padding:0',
    'height:80vh;max-width:100vw;min-height:3000px',
  ])('keeps the style %s of a div', (style) => expect(inEmbed('div', style)).toBe(style))

  it.each([
    ...['position:absolute', 'position:fixed', 'position:sticky', 'position:static', 'z-index:1'],
    ...[
      'top:1px',
      'right:1200px',
      'bottom:100%',
      'left:-1px',
      'margin:-1px',
      'margin-top:-9em',
      'width:-1px',
    ],
    ...['width:101%', 'width:99999px', 'width:100em', 'width:100vw', 'margin-left:50vw', 'height:101vh'],
    ...[
      'transform:none',
      'inset:0',
      'box-shadow:0 0 0 9px red',
      'outline:9px solid red',
      'border:999px solid red',
    ],
    ...['padding:9999%', 'width:calc(100% + 1px)', 'display:fixed', 'constructor:0'],
  ])('removes the style %s of a div', (style) => expect(inEmbed('div', style)).toBe(''))
})

describe('keptStyle outside of embeds', () => {
  it.each([
    'position:relative',
    'font-size:1.25em;line-height:1.8',
    'margin:0 auto;padding-left:3em;text-indent:1em',
    'width:50%;float:left',
  ])('keeps %s on a div', (style) => expect(keptStyle('div', style, false)).toBe(style))

  it.each([
    ...['font-size:200px', 'font-size:10em', 'font-size:1000%', 'line-height:9999px', 'line-height:99'],
    ...[
      'letter-spacing:999px',
      'width:100vw',
      'margin-left:100em',
      'top:0',
      'margin:-1px',
      'position:absolute',
    ],
  ])('removes %s from a div', (style) => expect(keptStyle('div', style, false)).toBe(''))

  it('removes `position:relative` from p, td, span, a and img', () =>
    expect(
      ['p', 'td', 'span', 'a', 'img'].map((name) => keptStyle(name, 'position:relative', false)),
    ).toEqual(Array(5).fill('')))
})

describe('the policy for frames', () => {
  it('removes unknown permissions, and permissions to navigate the top page, from `sandbox`', () =>
    expect(
      keptFrameValue(
        'sandbox',
        'allow-scripts  allow-top-navigation ALLOW-POPUPS allow-top-navigation-by-user-activation x allow-top-navigation-to-custom-protocols',
      ),
    ).toBe('allow-scripts allow-popups'))

  it('returns an empty `sandbox` if none of its permissions is allowed', () =>
    expect(keptFrameValue('sandbox', 'allow-top-navigation')).toBe(''))

  it('refuses the attribute `name`', () => expect(mayHave('iframe', 'name', 'x', true)).toBe(false))
})

describe('mayHave', () => {
  it.each([
    ['h2', '概要-1'],
    ['h2', '_installation'],
    ['h3', 'state'],
    ['h3', '__init__'],
    ['a', 'fnref-a1'],
    ['a', 'fnref1'],
    ['li', 'fn:1'],
    ['li', 'fn-a1'],
  ])('accepts on %s the heading or footnote id %s', (element, id) =>
    expect(mayHave(element, 'id', id, false)).toBe(true),
  )

  it.each([
    ['h2', '__NEXT_DATA__'],
    ['h2', '__NUXT_DATA__'],
    ['h2', 'ng-state'],
    ['a', 'fnConfig'],
    ['li', 'fnUrl'],
    ['p', 'x'],
  ])('refuses on %s the id %s', (element, id) => expect(mayHave(element, 'id', id, false)).toBe(false))
})
