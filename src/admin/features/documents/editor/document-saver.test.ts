import { beforeEach, expect, it } from 'vitest'
import { answerRequests, type SeenRequest } from '#admin/lib/testing.tsx'
import type { Document } from '#shared/contract/documents.ts'
import { DocumentSaver } from './document-saver.ts'
import { DocumentStore } from './document-store.ts'
import { testDocument, testModel, testPlace } from './test-model.ts'

type Answer = { status?: number; body: unknown } | Error

/** Creates a saver of an existing document. A fake server returns `answers` to writes in order. */
function start(answers: Answer[], current: () => Document = () => testDocument(1, { title: 'a' })) {
  const seen = answerRequests((request: SeenRequest) => {
    if (request.path.endsWith('csrfToken')) return { body: { csrfToken: 'token' } }
    if (request.method === 'GET') return { body: { document: current() } }
    return answers.shift() ?? new Error('unexpected')
  })
  const store = new DocumentStore(testModel, testDocument(1, { title: 'a', body: '<p>1</p>' }))
  const saver = new DocumentSaver(testModel, testPlace, store)
  return { store, saver, writes: () => seen.filter((request) => request.method !== 'GET') }
}

let conflict: Answer
beforeEach(() => {
  conflict = {
    status: 409,
    body: {
      code: 'VersionConflict',
      message: 'x',
      current: 2,
      by: { _id: 'b'.repeat(24), name: '太郎' },
      at: '2026-05-01T00:00:00.000Z',
      fields: ['title'],
    },
  }
})

it('DocumentSaver sends changed fields with the version that they are based on', async () => {
  const { store, saver, writes } = start([
    { body: { document: testDocument(2, { title: 'b', body: '<p>1</p>' }) } },
  ])
  store.set('title', 'b')
  expect(await saver.save('SAVE')).toMatchObject({ kind: 'saved', created: false, merged: null })
  expect(writes().map(({ method, body }) => ({ method, body }))).toEqual([
    { method: 'PUT', body: { doc: { title: 'b', _sys: { version: 1 } }, type: 'SAVE' } },
  ])
  expect(saver.status.get().phase).toBe('idle')
  expect(store.hasUnsaved()).toBe(false)
})

it('DocumentSaver delays a save requested during another save, and sends the newest input', async () => {
  const { store, saver, writes } = start([
    { body: { document: testDocument(2, { title: 'b', body: '<p>1</p>' }) } },
    { body: { document: testDocument(3, { title: 'bc', body: '<p>1</p>' }) } },
  ])
  store.set('title', 'b')
  const first = saver.save('SAVE')
  const second = saver.save('SAVE')
  await first
  store.set('title', 'bc')
  await second
  expect(writes().map((request) => (request.body as { doc: { title: string } }).doc)).toMatchObject([
    { title: 'b', _sys: { version: 1 } },
    { title: 'bc', _sys: { version: 2 } },
  ])
})

it('DocumentSaver marks a field that violates a rule, and does not send the publish request', async () => {
  const { store, saver, writes } = start([])
  store.set('price', 500)
  expect(await saver.save('PUBLISH')).toEqual({ kind: 'invalid', others: [] })
  expect(writes()).toEqual([])
  expect(store.issuesOf('price')).toMatchObject([{ code: 'TooLargeValue' }])
})

it('DocumentSaver assigns an issue found by the server to the field of the issue, and keeps the input', async () => {
  const { store, saver } = start([
    {
      status: 400,
      body: {
        code: 'ValidationFailed',
        message: 'x',
        issues: [{ path: 'doc.title', code: 'DuplicatedValue' }],
      },
    },
  ])
  store.set('title', 'b')
  expect(await saver.save('PUBLISH')).toEqual({ kind: 'invalid', others: [] })
  expect(store.issuesOf('title')).toEqual([{ path: '', code: 'DuplicatedValue' }])
  expect(store.get('title')).toBe('b')
})

it('DocumentSaver keeps a server issue until the value changes, but sends a publish request despite it', async () => {
  const { store, saver, writes } = start([
    { body: { document: testDocument(2, { title: 'b', body: '<p>1</p>' }) } },
  ])
  const paths = () => store.allIssues().map(({ path }) => path)
  store.setIssues('title', [{ path: '', code: 'DuplicatedValue' }], { value: 'a' })
  store.set('price', 500)
  expect(await saver.save('PUBLISH')).toMatchObject({ kind: 'invalid' })
  expect(paths()).toEqual(['title', 'price'])
  store.set('title', 'b')
  expect(await saver.save('PUBLISH')).toMatchObject({ kind: 'invalid' })
  expect(paths()).toEqual(['price'])
  // Only the server can check whether its issues still apply, so they do not prevent the request.
  store.setIssues('title', [{ path: '', code: 'DuplicatedValue' }], { value: 'b' })
  store.set('price', 5)
  expect(writes()).toEqual([])
  expect(await saver.save('PUBLISH')).toMatchObject({ kind: 'saved' })
  expect(paths()).toEqual([])
})

it('DocumentSaver keeps input unsaved after a lost connection, and sends the input at the next save', async () => {
  const { store, saver } = start([
    new TypeError('fetch failed'),
    { body: { document: testDocument(2, { title: 'b', body: '<p>1</p>' }) } },
  ])
  store.set('title', 'b')
  expect(await saver.save('SAVE')).toMatchObject({ kind: 'failed' })
  expect(saver.status.get().phase).toBe('offline')
  expect(store.dirtyFields()).toEqual(['title'])
  expect(await saver.save('SAVE')).toMatchObject({ kind: 'saved' })
  expect(saver.status.get().phase).toBe('idle')
})

it('DocumentSaver reports a conflict, and saves input decided as `mine` with the newer version', async () => {
  const { store, saver, writes } = start(
    [conflict, { body: { document: testDocument(3, { title: 'mine', body: '<p>mine</p>' }) } }],
    () => testDocument(2, { title: 'theirs', body: '<p>1</p>' }),
  )
  store.set('title', 'mine')
  store.set('body', '<p>mine</p>')
  expect(await saver.save('SAVE')).toEqual({ kind: 'conflict' })
  expect(saver.status.get()).toMatchObject({
    phase: 'conflict',
    conflict: {
      fields: ['title'],
      by: { id: 'b'.repeat(24), name: '太郎' },
      at: '2026-05-01T00:00:00.000Z',
      type: 'SAVE',
    },
  })
  expect(store.get('title')).toBe('mine')
  saver.resolve({ title: 'mine' })
  await saver.save('SAVE')
  expect(writes().at(-1)?.body).toEqual({
    doc: { title: 'mine', body: '<p>mine</p>', _sys: { version: 2 } },
    type: 'SAVE',
  })
})

it('DocumentSaver creates one document although two responses are lost, and saves input typed later', async () => {
  const made = new Map<string | null, Document>()
  let cut = true
  const seen = answerRequests(({ method, path, headers, body }) => {
    if (path.endsWith('csrfToken')) return { body: { csrfToken: 'token' } }
    if (method === 'PUT') return { body: { document: testDocument(2, { title: 'ab' }) } }
    // The server stores the key even if the connection breaks before its response.
    const key = headers.get('idempotency-key')
    const { title } = (body as { document: { title: string } }).document
    if (!made.has(key)) made.set(key, testDocument(1, { title }))
    if (cut) return new TypeError('Failed to fetch')
    return { body: { document: made.get(key) } }
  })
  const store = new DocumentStore(testModel, { defaults: {} })
  const saver = new DocumentSaver(testModel, testPlace, store)
  store.set('title', 'a')
  expect(await saver.save('SAVE')).toMatchObject({ kind: 'failed' })
  store.set('title', 'ab')
  expect(await saver.save('SAVE')).toMatchObject({ kind: 'failed' })
  cut = false
  expect(await saver.save('SAVE')).toMatchObject({ kind: 'saved', created: true })
  expect(made.size).toBe(1)
  expect(seen.at(-1)).toMatchObject({ method: 'PUT', body: { doc: { title: 'ab', _sys: { version: 1 } } } })
  expect(store.hasUnsaved()).toBe(false)
})

it('DocumentSaver uses a new idempotency key if the server refuses the content of a repeated request', async () => {
  const keys = new Set<string | null>()
  const titles: string[] = []
  answerRequests(({ path, headers, body }) => {
    if (path.endsWith('csrfToken')) return { body: { csrfToken: 'token' } }
    keys.add(headers.get('idempotency-key'))
    const { title } = (body as { document: { title: string } }).document
    titles.push(title)
    if (titles.length === 1) return new TypeError('Failed to fetch')
    if (title === 'a') return { status: 400, body: { code: 'ValidationFailed', issues: [] } }
    return { body: { document: testDocument(1, { title }) } }
  })
  const store = new DocumentStore(testModel, { defaults: {} })
  const saver = new DocumentSaver(testModel, testPlace, store)
  store.set('title', 'a')
  await saver.save('SAVE')
  store.set('title', 'b')
  expect(await saver.save('SAVE')).toMatchObject({ kind: 'saved', created: true })
  expect([titles, keys.size]).toEqual([['a', 'a', 'b'], 2])
})

it('DocumentSaver reports a deleted model if the server finds neither the document nor the model', async () => {
  answerRequests(({ path }) =>
    path.endsWith('csrfToken')
      ? { body: { csrfToken: 'token' } }
      : path.endsWith('currentRole')
        ? { body: { currentRole: { uid: 'editor', name: '', rights: ['read'] } } }
        : { status: 404, body: { code: 'NotFound', message: 'x' } },
  )
  const store = new DocumentStore(testModel, testDocument(1, { title: 'a' }))
  const saver = new DocumentSaver(testModel, testPlace, store)
  store.set('title', 'b')
  expect(await saver.save('SAVE')).toMatchObject({ kind: 'failed' })
  expect(saver.status.get().phase).toBe('modelGone')
  expect(store.get('title')).toBe('b')
})
