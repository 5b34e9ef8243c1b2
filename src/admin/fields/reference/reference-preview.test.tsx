import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import { fieldSchema } from '#shared/fields/index.ts'
import type { FieldOf } from '../field-props.ts'
import { ReferencePreview } from './reference-preview.tsx'

afterEach(cleanup)

const id = (n: number) => String(n).padStart(24, '0')
const title = fieldSchema.parse({ _id: id(0), uid: 'title', name: '題名', type: 'TEXT' })
const field = fieldSchema.parse({
  _id: id(1),
  uid: 'related',
  name: '関連',
  type: 'REFERENCE',
  modelUid: 'article',
  multiple: true,
}) as FieldOf<'REFERENCE'>

it.each([
  ['ja', '記事1、記事2、記事3', 'ほか1件'],
  ['en', '記事1, 記事2, 記事3', 'and 1 more'],
] as const)(
  'a reference cell shows three titles of four references and counts the fourth (%s)',
  async (language, named, others) => {
    answerRequests(({ path }) => ({
      body: path.includes('/doc')
        ? {
            documents: [1, 2, 3].map((n) => ({ _id: id(n), title: `記事${n}` })),
            total: 3,
            skip: 0,
            limit: 3,
          }
        : { model: { fields: [title], titleField: title._id } },
    }))
    const value = [1, 2, 3, 4].map(id)
    await renderInAdmin(
      <ReferencePreview field={field} value={value} place={{ p: 'kawa', a: 'blog' }} />,
      language,
    )
    expect(await screen.findByText(named)).toBeTruthy()
    expect(screen.getByText(others)).toBeTruthy()
  },
)
