import { cleanup, fireEvent, screen } from '@testing-library/react'
import { type ReactNode, useMemo, useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { renderInAdmin } from '#admin/lib/testing.tsx'
import { useReading } from '#admin/lib/use-reading.ts'
import { fieldSchema } from '#shared/fields/index.ts'
import type { FieldOf } from '../field-props.ts'
import { type SiblingValues, SiblingValuesContext } from '../sibling-values.ts'
import { SlugInput } from './slug-input.tsx'

afterEach(cleanup)

const source = 'a'.repeat(24)
const field = fieldSchema.parse({
  _id: 'b'.repeat(24),
  uid: 'slug',
  name: 'スラッグ',
  type: 'TEXT',
  slugOf: source,
}) as FieldOf<'TEXT'>

function Page({ isNew, start }: { isNew: boolean; start: string | undefined }): ReactNode {
  const [title, setTitle] = useState('')
  const [slug, setSlug] = useState<unknown>(start)
  const siblings = useMemo<SiblingValues>(
    () => ({ isNew, get: (id) => (id === source ? title : undefined), subscribe: () => () => undefined }),
    [isNew, title],
  )
  return (
    <SiblingValuesContext value={siblings}>
      <input
        aria-label="題名"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        {...useReading()}
      />
      <label htmlFor="slug" id="label">
        スラッグ
      </label>
      <SlugInput
        field={field}
        source={source}
        value={slug}
        onChange={setSlug}
        onBlur={() => undefined}
        readOnly={false}
        issues={[]}
        id="slug"
        labelId="label"
        describedBy={undefined}
        place={{ p: 'pond', a: 'blog' }}
      />
    </SiblingValuesContext>
  )
}

const box = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name })
/** Simulates a composition: the reading, then the converted text. */
function compose(name: string, reading: string, text: string) {
  const tell = (kind: string, data: string) =>
    fireEvent(box(name), Object.assign(new Event(kind, { bubbles: true }), { data }))
  tell('compositionupdate', reading)
  type(name, reading)
  tell('compositionupdate', text)
  type(name, text)
  tell('compositionend', text)
}
const type = (name: string, value: string) => fireEvent.change(box(name), { target: { value } })
const make = () => screen.getByRole<HTMLButtonElement>('button', { name: '自動で作る' })

it('the slug of a new document follows the source field until the user edits the slug', async () => {
  await renderInAdmin(<Page isNew start={undefined} />)
  type('題名', 'Hello Imori')
  expect(box('スラッグ').value).toBe('hello-imori')
  type('題名', 'いもりの話')
  expect([box('スラッグ').value, make().disabled]).toEqual(['', false])
  expect(screen.getByRole('status').textContent).toContain('漢字の読み')
  type('題名', 'いもりのはなし')
  expect(box('スラッグ').value).toBe('imorinohanashi')
  expect(screen.getByRole('status').textContent).toBe('')
  type('題名', 'Hello')
  type('スラッグ', 'mine')
  type('題名', 'Another title')
  expect(box('スラッグ').value).toBe('mine')
  fireEvent.click(make())
  expect([box('スラッグ').value, make().disabled]).toEqual(['another-title', true])
})

it('the slug of a saved document stays until the user presses the "Generate" button', async () => {
  await renderInAdmin(<Page isNew={false} start="hello" />)
  type('題名', 'Hello again')
  expect(box('スラッグ').value).toBe('hello')
  fireEvent.click(make())
  expect(box('スラッグ').value).toBe('hello-again')
})

it('a slug uses the reading that was typed for kanji', async () => {
  await renderInAdmin(<Page isNew start={undefined} />)
  compose('題名', 'はじめてのきじ', 'はじめての記事')
  expect(box('スラッグ').value).toBe('hajimete-no-kiji')
  type('題名', '記事 2')
  expect(box('スラッグ').value).toBe('kiji-2')
})

it('the slug input explains after a press of "Generate" why no slug can be created', async () => {
  await renderInAdmin(<Page isNew start={undefined} />)
  fireEvent.click(make())
  expect(screen.getByRole('status').textContent).toContain('空です')
  type('題名', '♪')
  expect(screen.getByRole('status').textContent).toContain('英数字もかなも')
})

it('the slug input hides the explanation after the user has typed a slug', async () => {
  await renderInAdmin(<Page isNew start={undefined} />)
  type('題名', '池の話')
  fireEvent.click(make())
  expect(screen.getByRole('status').textContent).toContain('漢字の読み')
  type('スラッグ', 'ike')
  expect(screen.getByRole('status').textContent).toBe('')
  type('題名', '沼の話')
  expect(screen.getByRole('status').textContent).toBe('')
  fireEvent.click(make())
  expect(screen.getByRole('status').textContent).toContain('漢字の読み')
  type('スラッグ', '')
  expect(screen.getByRole('status').textContent).toContain('漢字の読み')
})
