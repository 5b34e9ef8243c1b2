import { expect, it } from 'vitest'
import { fieldSchema } from '#shared/fields/index.ts'
import { newId } from '#shared/identifiers.ts'
import { growth, tooMuchGrowth } from '#test/growth.ts'
import { markdown } from './markdown.ts'

const origin = { asset: () => undefined, document: () => undefined }
const field = fieldSchema.parse({ _id: newId(), uid: 'body', name: '本文', type: 'MARKDOWN' })
const notesOf = (html: string, text: string) => markdown.received.take(html, { origin, text, field })?.notes

it('the MARKDOWN type notes whether the Markdown source of received HTML with a list contains a list', () => {
  for (const source of ['- a', '\n\n  1. a', '\u3000* a', 'b\u2028+ a', '<li>a'])
    expect(notesOf('<li>a</li>', source)).toEqual(['kept'])
  expect(notesOf('<li>a</li>', 'a - b\n-c')).toEqual(['lost'])
})

it.each([['\n'], ['\r\n'], ['\u2028'], [' ']])(
  'the MARKDOWN type reads a source of repeated %j in linear time',
  { tags: ['full'] },
  (piece) => {
    expect(growth((size) => notesOf('<li>a</li>', piece.repeat(size)), 10_000)).toBeLessThan(tooMuchGrowth)
  },
)
