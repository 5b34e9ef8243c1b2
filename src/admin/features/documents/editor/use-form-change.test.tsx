import { act, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, it } from 'vitest'
import { answerRequests } from '#admin/lib/testing.tsx'
import { DocumentStore } from './document-store.ts'
import { EditorContext } from './editor-context.ts'
import { testContext, testDocument, testModel } from './test-model.ts'
import { type FormStart, useFormChange } from './use-form-change.ts'

const [title, body, ...others] = testModel.fields
if (!title || !body) throw new Error('the model of tests has lost its fields')
/** The model after the uid of 本文 changed and the other fields except the title were removed. */
const changed = { ...testModel, fields: [title, { ...body, uid: 'text' }] }
const left = [{ name: '価格', value: 30 }]

beforeEach(() => {
  answerRequests(() => ({ body: { document: testDocument(2, { title: 'a', text: '<p>1</p>' }) } }))
})

function work(element: HTMLElement | null = null) {
  const store = new DocumentStore(testModel, testDocument(1, { title: 'a', body: '<p>1</p>' }))
  const context = testContext(store)
  const begun: FormStart[] = []
  const wrapper = ({ children }: { children: ReactNode }) => (
    <EditorContext value={context}>{children}</EditorContext>
  )
  const hook = renderHook(
    ({ latest }) =>
      useFormChange({
        latest,
        copy: { session: 'own', left: [] },
        renew: (next) => begun.push(next),
        page: { current: element },
      }),
    { wrapper, initialProps: { latest: testModel } },
  )
  return { store, begun, ...hook }
}

it('useFormChange carries typed input over on request, and puts a value without a field into `left`', async () => {
  const { store, begun, result, rerender } = work()
  expect(others.map(({ uid }) => uid)).toContain('price')
  act(() => {
    store.set('body', '<p>typed</p>')
    store.set('price', 30)
  })
  expect(result.current.isChanged).toBe(false)
  rerender({ latest: changed })
  expect(result.current.isChanged).toBe(true)
  expect(begun).toEqual([])
  await act(() => result.current.renew())
  expect(begun).toEqual([
    {
      model: changed,
      document: testDocument(2, { title: 'a', text: '<p>1</p>' }),
      carried: { values: { text: '<p>typed</p>' }, version: 1, session: 'own', left },
    },
  ])
})

it('useFormChange renews a form automatically if it has neither input nor focus', async () => {
  const { begun, rerender } = work()
  rerender({ latest: changed })
  await waitFor(() => expect(begun).toMatchObject([{ model: changed, carried: { values: {}, left: [] } }]))
})

it('useFormChange does not renew a form automatically if it contains the focus', async () => {
  const seen = answerRequests(() => ({ body: {} }))
  const input = window.document.body.appendChild(window.document.createElement('input'))
  input.focus()
  const { begun, result, rerender } = work(window.document.body)
  rerender({ latest: changed })
  expect(result.current.isChanged).toBe(true)
  // A renewal would request the document first.
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
  expect([seen, begun]).toEqual([[], []])
})
