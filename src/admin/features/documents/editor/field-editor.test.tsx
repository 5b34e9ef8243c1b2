import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { Profiler } from 'react'
import { afterEach, expect, it } from 'vitest'
import { answerRequests, renderInAdmin } from '#admin/lib/testing.tsx'
import type { Field } from '#shared/fields/index.ts'
import { DocumentStore } from './document-store.ts'
import { EditorContext } from './editor-context.ts'
import { FieldEditor } from './field-editor.tsx'
import { IssueSummary } from './issue-summary.tsx'
import { testContext, testDocument, testModel } from './test-model.ts'

afterEach(cleanup)

async function show({ readOnly = false, summary = false, model = testModel } = {}) {
  const rendered: string[] = []
  const store = new DocumentStore(model, testDocument(1, { title: 'a', tags: ['x'] }))
  const fields = model.fields.filter((field) => field.uid === 'title' || field.uid === 'price')
  await renderInAdmin(
    <EditorContext value={testContext(store, { model, readOnly })}>
      {summary && <IssueSummary refusals={0} isAwaited={() => false} />}
      {fields.map((field: Field) => (
        <Profiler key={field._id} id={field.uid} onRender={(uid) => rendered.push(uid)}>
          <FieldEditor field={field} />
        </Profiler>
      ))}
    </EditorContext>,
  )
  return { store, rendered, title: screen.getByLabelText<HTMLInputElement>(/タイトル/) }
}

it('FieldEditor stores typed input, and shows changes of the store in the input', async () => {
  const { store, title } = await show()
  fireEvent.change(title, { target: { value: '春' } })
  expect(store.get('title')).toBe('春')
  act(() => store.set('title', '夏'))
  expect(title.value).toBe('夏')
})

it('typing in one FieldEditor does not render another FieldEditor', async () => {
  const { rendered, title } = await show()
  rendered.length = 0
  fireEvent.change(title, { target: { value: '春' } })
  fireEvent.change(title, { target: { value: '春の' } })
  expect(new Set(rendered)).toEqual(new Set(['title']))
})

it('FieldEditor checks a field on blur, and from then on while typing', async () => {
  const { store, title } = await show()
  fireEvent.change(title, { target: { value: '' } })
  expect(screen.queryByText('入力してください')).toBeNull()
  fireEvent.blur(title)
  // Waits until the rules are downloaded.
  await screen.findByText('入力してください')
  const help = document.getElementById(title.getAttribute('aria-describedby') ?? '')
  expect(help?.textContent).toBe('入力してください')
  expect(title.getAttribute('aria-invalid')).toBe('true')
  fireEvent.change(title, { target: { value: '春' } })
  await waitFor(() => expect(store.issuesOf('title')).toEqual([]))
})

it('FieldEditor shows the issue found on blur only after a pointer press has ended', async () => {
  const { title } = await show()
  fireEvent.change(title, { target: { value: '' } })
  fireEvent.pointerDown(document.body)
  fireEvent.blur(title)
  await import('./validation.ts')
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
  expect(screen.queryByText('入力してください')).toBeNull()
  fireEvent.pointerUp(document.body)
  await screen.findByText('入力してください')
})

it('FieldEditor shows a duplicate as a warning, or as an error if the duplicate blocks publishing', async () => {
  const fields = testModel.fields.map((field) =>
    field.type === 'TEXT' && field.uid === 'title' ? { ...field, unique: true } : field,
  )
  let blocksPublishing = false
  answerRequests(({ path }) => ({
    body: path.endsWith('/validateField')
      ? { errorMessage: '', code: 'DuplicatedValue', blocksPublishing }
      : { csrfToken: 't' },
  }))
  const { store, title } = await show({ model: { ...testModel, fields } })
  fireEvent.change(title, { target: { value: '春' } })
  fireEvent.blur(title)
  await screen.findByText(/この値を使えるのは先に公開したほうだけです/)
  expect(title.getAttribute('aria-invalid')).not.toBe('true')
  expect(store.allIssues()).toEqual([])
  blocksPublishing = true
  fireEvent.change(title, { target: { value: '春の' } })
  await screen.findByText(/重複したままでは公開できません/)
  expect(screen.queryByText(/先に公開したほうだけ/)).toBeNull()
  expect(title.getAttribute('aria-invalid')).toBe('true')
})

it('the issue summary lists fields with issues, and focuses a field when its entry is clicked', async () => {
  const { store, title } = await show({ summary: true })
  act(() => {
    store.setAllIssues([
      { path: 'title', code: 'TooManyCharacters', params: { maximum: 10, actual: 12 } },
      { path: 'tags.1', code: 'InvalidValue' },
    ])
  })
  expect(screen.getByText('2個のフィールドを確認してください')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'タグ 2番目' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'タイトル' }))
  await waitFor(() => expect(document.activeElement).toBe(title))
})

it('FieldEditor renders a read-only text input if the form is read-only', async () => {
  const { title } = await show({ readOnly: true })
  expect(title.readOnly).toBe(true)
})

it('FieldEditor normalises a number on blur, and keeps a number as typed if it cannot be stored exactly', async () => {
  const { store } = await show()
  const price = screen.getByLabelText<HTMLInputElement>('価格')
  fireEvent.change(price, { target: { value: '１２．５０' } })
  expect(store.get('price')).toBe(12.5)
  expect(price.value).toBe('１２．５０')
  fireEvent.blur(price)
  expect(price.value).toBe('12.5')
  fireEvent.change(price, { target: { value: '9007199254740993' } })
  expect(store.get('price')).toBe('9007199254740993')
  fireEvent.blur(price)
  await waitFor(() => expect(store.issuesOf('price')).toHaveLength(1))
  expect(price.value).toBe('9007199254740993')
})
