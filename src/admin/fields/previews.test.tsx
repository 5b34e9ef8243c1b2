import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { fieldSchema } from '#shared/fields/index.ts'
import { readEmbed } from './embed/shown-embed.ts'
import type { FieldOf } from './field-props.ts'
import { RichTextPreview } from './rich-text/rich-text-preview.tsx'
import { TextPreview } from './text/text-preview.tsx'

afterEach(cleanup)

const field = fieldSchema.parse({
  _id: '0123456789abcdef01234567',
  uid: 'body',
  name: '本文',
  type: 'RICH_TEXT',
}) as FieldOf<'RICH_TEXT'>

it('embed titles and previews of texts end before an emoji that does not fit', async () => {
  const start = 'あ'.repeat(198)
  const long = `${start}🧑🏽\u200d🌾`
  expect(readEmbed(`<blockquote>${long}</blockquote>`).title).toBe(start)
  await renderInAdmin(
    <>
      <p>
        <TextPreview value={long} />
      </p>
      <p>
        <RichTextPreview field={field} value={`<p>${long}</p>`} place={{ p: 'kawa', a: 'blog' }} />
      </p>
    </>,
  )
  expect(screen.getAllByText(start)).toHaveLength(2)
})
