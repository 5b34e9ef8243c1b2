import { describe, expect, it, vi } from 'vitest'
import { DocumentStore } from './document-store.ts'
import { testDocument as document, testModel as model } from './test-model.ts'

describe('DocumentStore during typing', () => {
  it('notifies the listener of the changed field, but not the listener of another field', () => {
    const store = new DocumentStore(model, document(1, { title: 'a' }))
    const [title, body] = [vi.fn(), vi.fn()]
    store.subscribe('value:title', title)
    store.subscribe('value:body', body)
    store.set('title', 'ab')
    expect(title).toHaveBeenCalledTimes(1)
    expect(body).not.toHaveBeenCalled()
  })

  it('has unsaved input until the input equals the saved value again', () => {
    const store = new DocumentStore(model, document(1, { title: 'a' }))
    const dirty = vi.fn()
    store.subscribe('dirty', dirty)
    store.set('title', 'ab')
    store.set('title', 'abc')
    expect(store.hasUnsaved()).toBe(true)
    store.set('title', 'a')
    expect(store.hasUnsaved()).toBe(false)
    expect(dirty).toHaveBeenCalledTimes(2)
  })

  it('puts null for an emptied field into the request body, and omits unchanged fields', () => {
    const store = new DocumentStore(model, document(3, { title: 'a', body: '<p>x</p>' }))
    store.set('body', '')
    expect(store.bodyOf(store.snapshot())).toEqual({ body: null, _sys: { version: 3 } })
  })

  it('ignores empty entries at the end of a list, but not at its start', () => {
    const store = new DocumentStore(model, document(3, { title: 'a', tags: ['a'] }))
    store.set('tags', ['a', '', ''])
    expect(store.hasUnsaved()).toBe(false)
    store.set('tags', ['', 'a', ''])
    expect(store.hasUnsaved()).toBe(true)
    expect(store.bodyOf(store.snapshot()).tags).toEqual(['', 'a'])
    store.set('body', [{ _id: 'x', data: ['', 'b', ''] }])
    expect(store.bodyOf(store.snapshot()).body).toEqual([{ _id: 'x', data: ['', 'b'] }])
  })

  it('puts all values of a new document into the request body, without a version', () => {
    const store = new DocumentStore(model, { defaults: { tags: ['x'] } })
    store.set('title', 'a')
    expect(store.bodyOf(store.snapshot())).toEqual({ title: 'a', tags: ['x'] })
  })
})

describe('DocumentStore after a save', () => {
  it('keeps input typed during the save as unsaved', () => {
    const store = new DocumentStore(model, document(1, { title: 'a' }))
    store.set('title', 'ab')
    const sent = store.snapshot()
    store.set('title', 'abc')
    store.saved(sent, document(2, { title: 'ab' }))
    expect(store.get('title')).toBe('abc')
    expect(store.dirtyFields()).toEqual(['title'])
    expect(store.snapshot().version).toBe(2)
  })

  it('takes over the sanitised value of the response unless the field was edited meanwhile', () => {
    const store = new DocumentStore(model, document(1, { title: 'a' }))
    store.set('body', '<p class="x">x</p>')
    const sent = store.snapshot()
    store.saved(sent, document(2, { title: 'a', body: '<p>x</p>' }))
    expect(store.get('body')).toBe('<p>x</p>')
    expect(store.hasUnsaved()).toBe(false)

    store.set('body', '<p class="y">x</p>')
    const next = store.snapshot()
    store.set('body', '<p class="y">xy</p>')
    store.saved(next, document(3, { title: 'a', body: '<p>x</p>' }))
    expect(store.get('body')).toBe('<p class="y">xy</p>')
    expect(store.dirtyFields()).toEqual(['body'])
  })

  it("takes over a field that another user changed, and returns the field's uid", () => {
    const store = new DocumentStore(model, document(1, { title: 'a', tags: ['x'] }))
    store.set('title', 'b')
    const taken = store.saved(store.snapshot(), document(3, { title: 'b', tags: ['x', 'y'] }))
    expect(taken).toEqual(['tags'])
    expect(store.get('tags')).toEqual(['x', 'y'])
    expect(store.hasUnsaved()).toBe(false)
  })

  it('keeps the old base version if another user changed a field that was also edited during the save', () => {
    const store = new DocumentStore(model, document(1, { title: 'a', body: '<p>1</p>' }))
    store.set('title', 'b')
    const sent = store.snapshot()
    store.set('body', '<p>mine</p>')
    store.saved(sent, document(3, { title: 'b', body: '<p>theirs</p>' }))
    expect(store.get('body')).toBe('<p>mine</p>')
    expect(store.snapshot()).toEqual({ values: { body: '<p>mine</p>' }, version: 1 })
  })

  it('turns a new document into an existing one, and keeps later input as unsaved', () => {
    const store = new DocumentStore(model, { defaults: {} })
    store.set('title', 'a')
    const sent = store.snapshot()
    store.set('tags', ['late'])
    store.saved(sent, document(1, { title: 'a' }))
    expect(store.document?.id).toBe('a'.repeat(24))
    expect(store.dirtyFields()).toEqual(['tags'])
  })
})

describe('DocumentStore with a newer state from the server', () => {
  it('takes over fields without unsaved input', () => {
    const store = new DocumentStore(model, document(1, { title: 'a' }))
    store.set('tags', ['mine'])
    expect(store.refresh(document(2, { title: 'b' }))).toEqual(['title'])
    expect(store.snapshot()).toEqual({ values: { tags: ['mine'] }, version: 2 })
  })

  it('keeps input and base version if the same field changed on the server', () => {
    const store = new DocumentStore(model, document(1, { title: 'a' }))
    store.set('title', 'mine')
    expect(store.refresh(document(2, { title: 'theirs' }))).toEqual([])
    expect(store.get('title')).toBe('mine')
    expect(store.snapshot().version).toBe(1)
  })
})

describe('DocumentStore with a decided conflict', () => {
  it('keeps values decided as `mine` as unsaved input on the new version, and takes over the others', () => {
    const store = new DocumentStore(model, document(1, { title: 'a', body: '<p>1</p>', tags: ['x'] }))
    store.set('title', 'mine')
    store.set('body', '<p>mine</p>')
    const theirs = document(4, { title: 'theirs', body: '<p>theirs</p>', tags: ['x', 'y'] })
    store.resolve(theirs, { title: 'mine', body: 'theirs' })
    expect(store.all()).toEqual({ title: 'mine', body: '<p>theirs</p>', tags: ['x', 'y'] })
    expect(store.snapshot()).toEqual({ values: { title: 'mine' }, version: 4 })
  })
})

describe('DocumentStore with issues', () => {
  it('assigns issues to fields, and returns issues that belong to no field', () => {
    const store = new DocumentStore(model, document(1, { title: 'a' }))
    const others = store.setAllIssues([
      { path: 'doc.tags.1', code: 'TooManyCharacters' },
      { path: 'title', code: 'Required' },
      { path: '', code: 'InvalidValue' },
    ])
    expect(others).toEqual([{ path: '', code: 'InvalidValue' }])
    expect(store.issuesOf('tags')).toEqual([{ path: '1', code: 'TooManyCharacters' }])
    expect(store.allIssues().map((issue) => issue.path)).toEqual(['title', 'tags.1'])
    store.setAllIssues([])
    expect(store.issuesOf('title')).toEqual([])
  })
})

describe('DocumentStore with a copy stored in this browser', () => {
  it("restores the copy as unsaved input on the copy's version", () => {
    const store = new DocumentStore(model, document(5, { title: 'a', tags: ['x'] }))
    store.restore({ title: 'typed', gone: 1 }, 4)
    expect(store.snapshot()).toEqual({ values: { title: 'typed' }, version: 4 })
  })

  it("keeps the copy's version when other fields change while the restored input is unsaved", () => {
    const store = new DocumentStore(model, document(5, { title: 'a', tags: ['x'] }))
    store.restore({ title: 'typed' }, 4)
    expect(store.refresh(document(6, { title: 'a', tags: ['y'] }))).toEqual(['tags'])
    expect(store.snapshot()).toEqual({ values: { title: 'typed' }, version: 4 })
    store.set('title', 'a')
    store.refresh(document(7, { title: 'a', tags: ['z'] }))
    store.set('title', 'b')
    expect(store.snapshot()).toEqual({ values: { title: 'b' }, version: 7 })
  })
})
