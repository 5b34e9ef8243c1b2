import { act, renderHook, waitFor } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import type { Document } from '#shared/contract/documents.ts'
import { DocumentStore } from './document-store.ts'
import type { EditorContextValue } from './editor-context.ts'
import { copiesOf, writeCopy } from './unsaved-copies.ts'
import { useUnsavedCopy } from './use-unsaved-copy.ts'

const place = { p: 'kawa', a: 'blog', m: 'article' }
const id = 'a'.repeat(24)
const model = {
  fields: [
    { uid: 'body', type: 'RICH_TEXT' },
    { uid: 'notes', type: 'MARKDOWN' },
    { uid: 'parts', type: 'CUSTOM' },
  ],
  titleField: null,
} as unknown as EditorContextValue['model']
const html = '<p title="x" class="y">川&amp;<br></p><hr><img src="a.png" alt="" height="1">'
/** The same as the server spells it. */
const served = '<p class="y" title="x">川&#38;<br /></p><hr /><img src="a.png" alt="" height="1" />'
const document = (values: object): Document =>
  ({ _id: id, _sys: { version: 7, status: 'draft' }, ...values }) as unknown as Document

function visit(copied: Record<string, unknown>, values: object, more: object = {}) {
  const base = copiesOf('', place, id)
  writeCopy(`${base}/earlier`, { values: copied, version: 6, at: Date.now(), ...more })
  const store = new DocumentStore(model, document(values))
  const editor = { place, store, model, readOnly: false } as unknown as EditorContextValue
  return { store, ...renderHook(() => useUnsavedCopy(editor)) }
}

beforeEach(() => localStorage.clear())

it('offers no copy of what is saved in another spelling of HTML, on its own or inside of others', async () => {
  const { result } = visit(
    { body: html, parts: [{ data: { text: html } }] },
    { body: served, parts: [{ data: { text: served } }] },
  )
  await waitFor(() => expect(localStorage.length).toBe(0))
  expect(result.current.found).toBeNull()
})

it.each([
  ['HTML', { body: '<p>川<br></p>' }, { body: '<p>川辺<br /></p>' }],
  ['Markdown', { notes: '<br>' }, { notes: '<br />' }],
  ['a text inside of others', { parts: [{ data: { text: 'a' } }] }, { parts: [{ data: { text: 'b' } }] }],
])('offers one that differs: %s', async (_, copied, values) => {
  const { result } = visit(copied, values)
  await waitFor(() => expect(result.current.found?.values).toEqual(copied))
})

it('says that what was brought back after the log-in is not saved until it is', async () => {
  const { store, result } = visit({ notes: 'new' }, { notes: 'old' }, { resumes: true })
  await waitFor(() => expect(result.current.resumed).toBe(true))
  const sent = store.snapshot()
  act(() => void store.saved(sent, document({ notes: 'new' })))
  await waitFor(() => expect(result.current.resumed).toBe(false), { timeout: 3_000 })
})
