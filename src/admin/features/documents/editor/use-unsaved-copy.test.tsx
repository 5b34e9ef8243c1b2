import { act, renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
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
/** The same HTML as `html`, with another attribute order, entity and notation of void elements. */
const served = '<p class="y" title="x">川&#38;<br /></p><hr /><img src="a.png" alt="" height="1" />'
const document = (values: object, version = 7): Document =>
  ({ _id: id, _sys: { version, status: 'draft' }, ...values }) as unknown as Document

function visit(copied: Record<string, unknown>, values: object, more: object = {}) {
  const base = copiesOf('', place, id)
  writeCopy(`${base}/earlier`, { values: copied, version: 6, at: Date.now(), ...more })
  const store = new DocumentStore(model, document(values))
  const editor = { place, store, model, readOnly: false } as unknown as EditorContextValue
  return { store, ...renderHook(() => useUnsavedCopy(editor)) }
}

/** Opens a new document after earlier visits that stored these notes, newest last. */
function visitNew(notes: string[]) {
  const base = copiesOf('', place, 'new')
  notes.forEach((one, index) => {
    writeCopy(`${base}/${one}`, { values: { notes: one }, version: null, at: Date.now() + index })
  })
  const store = new DocumentStore(model, { defaults: {} })
  const editor = { place, store, model, readOnly: false } as unknown as EditorContextValue
  return { store, ...renderHook(() => useUnsavedCopy(editor)) }
}

/** Returns all notes stored in this browser. */
const keptNotes = () =>
  Object.keys(localStorage)
    .map((key) => JSON.parse(localStorage.getItem(key) ?? '').values.notes)
    .sort()

beforeEach(() => localStorage.clear())
afterEach(() => localStorage.clear())

it('useUnsavedCopy deletes a copy that differs only in the serialisation of HTML, even if nested', async () => {
  const { result } = visit(
    { body: html, parts: [{ data: { text: html } }] },
    { body: served, parts: [{ data: { text: served } }] },
  )
  await waitFor(() => expect(localStorage.length).toBe(0))
  expect(result.current.found).toBeNull()
})

it.each([
  ['the text of HTML', { body: '<p>川<br></p>' }, { body: '<p>川辺<br /></p>' }],
  ['Markdown notation', { notes: '<br>' }, { notes: '<br />' }],
  ['a nested text', { parts: [{ data: { text: 'a' } }] }, { parts: [{ data: { text: 'b' } }] }],
])('useUnsavedCopy offers a copy that differs from the document in %s', async (_, copied, values) => {
  const { result } = visit(copied, values)
  await waitFor(() => expect(result.current.found?.values).toEqual(copied))
})

it('useUnsavedCopy reports input that was restored after the sign-in, until the input is saved', async () => {
  const { store, result } = visit({ notes: 'new' }, { notes: 'old' }, { resumes: true })
  await waitFor(() => expect(result.current.resumed).toBe(true))
  const sent = store.snapshot()
  act(() => void store.saved(sent, document({ notes: 'new' })))
  await waitFor(() => expect(result.current.resumed).toBe(false))
})

it('useUnsavedCopy offers no second copy after a restore in a new document, and keeps both copies stored', async () => {
  const { store, result } = visitNew(['first', 'second'])
  await waitFor(() => expect(result.current.found?.values).toEqual({ notes: 'second' }))
  act(() => result.current.restore())
  expect(store.get('notes')).toBe('second')
  expect(result.current.found).toBeNull()
  expect(keptNotes()).toEqual(['first', 'second'])
})

it('useUnsavedCopy keeps a copy of another new document, but does not offer it after the user types', async () => {
  const { store, result } = visitNew(['other'])
  await waitFor(() => expect(result.current.found).not.toBeNull())
  act(() => store.set('notes', 'written'))
  expect(result.current.found).toBeNull()
  act(() => void store.saved(store.snapshot(), document({ notes: 'written' })))
  expect(store.hasUnsaved()).toBe(false)
  expect(result.current.found).toBeNull()
  expect(keptNotes()).toContain('other')
})

it('useUnsavedCopy reports input that a restored copy overwrote, and `undoRestore` exchanges the two', async () => {
  const { store, result } = visit({ notes: 'kept', body: 'b' }, { notes: 'saved', body: 'a' })
  await waitFor(() => expect(result.current.found).not.toBeNull())
  act(() => store.set('notes', 'typed'))
  act(() => result.current.restore())
  expect(store.get('notes')).toBe('kept')
  expect(result.current.found).toBeNull()
  expect(result.current.replaced?.values).toEqual({ notes: 'typed' })
  expect(keptNotes()).toEqual(['kept', 'typed'])

  act(() => store.set('notes', 'kept, and more'))
  act(() => result.current.undoRestore())
  expect([store.get('notes'), store.get('body')]).toEqual(['typed', 'a'])
  expect(result.current.replaced).toBeNull()
  expect(result.current.found?.values).toEqual({ notes: 'kept, and more', body: 'b' })
  act(() => result.current.dismiss())
  await waitFor(() => expect(keptNotes()).toEqual(['typed']))
})

it('undoRestore keeps the version that the overwritten input was typed on', async () => {
  const { store, result } = visit({ notes: 'saved', body: 'b' }, { notes: 'saved', body: 'a' })
  await waitFor(() => expect(result.current.found).not.toBeNull())
  act(() => store.set('notes', 'typed'))
  act(() => result.current.restore())
  expect(store.snapshot()).toEqual({ values: { body: 'b' }, version: 6 })
  // Another user changes the field meanwhile: saving must report the conflict.
  act(() => void store.refresh(document({ notes: 'theirs', body: 'a' }, 8)))
  expect(store.get('notes')).toBe('theirs')
  act(() => result.current.undoRestore())
  expect(store.snapshot()).toEqual({ values: { notes: 'typed' }, version: 7 })
  act(() => void store.refresh(document({ notes: 'theirs', body: 'c' }, 9)))
  expect(store.snapshot()).toEqual({ values: { notes: 'typed' }, version: 7 })
})

it('useUnsavedCopy stores overwritten input until the notice is closed or the document is saved', async () => {
  for (const end of ['close', 'save'] as const) {
    localStorage.clear()
    const { store, result } = visit({ notes: 'kept' }, { notes: 'saved' })
    await waitFor(() => expect(result.current.found).not.toBeNull())
    act(() => store.set('notes', 'typed'))
    act(() => result.current.restore())
    expect(keptNotes()).toContain('typed')
    if (end === 'close') act(() => result.current.closeReplaced())
    else act(() => void store.saved(store.snapshot(), document({ notes: 'kept' }, 8)))
    expect(result.current.replaced).toBeNull()
    await waitFor(() => expect(keptNotes()).not.toContain('typed'))
  }
})

it('useUnsavedCopy keeps overwritten input stored if the user types the saved value again', async () => {
  const { store, result } = visit({ notes: 'kept' }, { notes: 'saved' })
  await waitFor(() => expect(result.current.found).not.toBeNull())
  act(() => store.set('notes', 'typed'))
  act(() => result.current.restore())
  act(() => store.set('notes', 'saved'))
  expect(store.hasUnsaved()).toBe(false)
  expect(result.current.replaced?.values).toEqual({ notes: 'typed' })
  expect(keptNotes()).toContain('typed')
})

it('useUnsavedCopy offers overwritten input as a copy after a second copy is restored', async () => {
  writeCopy(`${copiesOf('', place, id)}/second`, { values: { body: 'c' }, version: 6, at: Date.now() - 1000 })
  const { store, result } = visit({ notes: 'kept' }, { notes: 'saved', body: 'a' })
  await waitFor(() => expect(result.current.found).not.toBeNull())
  act(() => store.set('notes', 'typed'))
  act(() => result.current.restore())
  await waitFor(() => expect(result.current.found?.values).toEqual({ body: 'c' }))
  act(() => result.current.restore())
  expect(store.get('body')).toBe('c')
  expect(result.current.found?.values).toEqual({ notes: 'typed' })
  expect(keptNotes()).toContain('typed')
})

it('input stored by `keep` is offered on the next visit', async () => {
  const { store, result, unmount } = visitOf([fieldOf('summary')], { summary: 'old' })
  act(() => store.set('summary', 'typed'))
  act(() => result.current.keep())
  const [kept] = Object.values(localStorage)
  expect(JSON.parse(kept ?? '').values).toEqual({ summary: 'typed' })
  act(() => unmount())
  const next = visitOf([fieldOf('summary')], { summary: 'old' })
  await waitFor(() => expect(next.result.current.found?.values).toEqual({ summary: 'typed' }))
})

const fieldOf = (uid: string) => ({ _id: '1'.repeat(24), uid, name: '紹介文', type: 'TEXT' })
const modelOf = (...fields: object[]) =>
  ({ _id: 'f'.repeat(24), fields, titleField: null }) as unknown as EditorContextValue['model']

/** Opens the document with the given fields of its model. */
function visitOf(fields: object[], values: object) {
  const now = modelOf(...fields)
  const store = new DocumentStore(now, document(values))
  const editor = { place, store, model: now, readOnly: false } as unknown as EditorContextValue
  return { store, ...renderHook(() => useUnsavedCopy(editor)) }
}

it('useUnsavedCopy restores input in the field with the same _id after its uid changed', async () => {
  const earlier = visitOf([fieldOf('summary')], { summary: 'old' })
  act(() => earlier.store.set('summary', 'typed'))
  act(() => earlier.unmount())
  const { store, result } = visitOf([fieldOf('intro')], { intro: 'old' })
  await waitFor(() => expect(result.current.found?.values).toEqual({ intro: 'typed' }))
  act(() => result.current.restore())
  expect(store.get('intro')).toBe('typed')
  expect(result.current.left).toEqual([])
})

it('useUnsavedCopy keeps values without a field until they are discarded', async () => {
  const earlier = visitOf([fieldOf('summary')], { summary: 'old' })
  act(() => earlier.store.set('summary', 'typed'))
  act(() => earlier.unmount())
  const left = [{ name: '紹介文', value: 'typed' }]
  const second = visitOf([], {})
  await waitFor(() => expect(second.result.current.found?.left).toEqual(left))
  act(() => second.result.current.restore())
  expect(second.result.current.left).toEqual(left)
  act(() => second.unmount())
  const third = visitOf([], {})
  await waitFor(() => expect(third.result.current.found?.left).toEqual(left))
  act(() => third.result.current.restore())
  act(() => third.result.current.dropLeft())
  expect(localStorage.length).toBe(0)
})

it('useUnsavedCopy finds input typed before the uid of the model changed', async () => {
  const earlier = visitOf([fieldOf('summary')], { summary: 'old' })
  act(() => earlier.store.set('summary', 'typed'))
  act(() => earlier.unmount())
  const now = modelOf(fieldOf('summary'))
  const store = new DocumentStore(now, document({ summary: 'old' }))
  const editor = { place: { ...place, m: 'post' }, store, model: now, readOnly: false }
  const { result } = renderHook(() => useUnsavedCopy(editor as unknown as EditorContextValue))
  await waitFor(() => expect(result.current.found?.values).toEqual({ summary: 'typed' }))
})
