import type { FieldTypeName } from '#shared/fields/index.ts'

/** Sample values of each type. Without a line for a new type, this file does not compile. */
export const valueSamples: Record<Exclude<FieldTypeName, 'CUSTOM' | 'MULTI_TYPE'>, readonly unknown[]> = {
  TEXT: ['7', '1.5', 'a < b', '赤', '2026-11-24', '#ff8800'],
  MARKDOWN: ['# 題', '太字', '7'],
  RICH_TEXT: ['<p>本文</p>', '<p><strong>太字</strong></p>', '<p>7</p>'],
  NUMBER: [0, 7, -1.5],
  CHECKBOX: [true, false],
  COLOR: ['#ff8800', '#000000'],
  SELECT: ['赤', '青'],
  DATE: ['2026-11-24T01:02:03.004Z', '0001-01-01T00:00:00.000Z'],
  EMOJI: ['🦎', '❤️'],
  MAP: [
    { lat: 35.68, lng: 139.76 },
    { lat: -90, lng: 1e-7 },
  ],
  EMBED: [
    '<iframe src="https://player.example/1"></iframe>',
    '<iframe src="https://player.example/2"></iframe>',
  ],
  IMAGE: ['a'.repeat(24), 'b'.repeat(24)],
  FILE: ['a'.repeat(24), 'b'.repeat(24)],
  REFERENCE: ['c'.repeat(24), 'd'.repeat(24)],
}
export const plainTypes = Object.keys(valueSamples) as (keyof typeof valueSamples)[]
