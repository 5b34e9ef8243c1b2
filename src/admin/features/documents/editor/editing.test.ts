import { expect, it } from 'vitest'
import { answerRequests, type SeenRequest } from '#admin/lib/testing.tsx'
import type { Document } from '#shared/contract/documents.ts'
import { DocumentSaver } from './document-saver.ts'
import { DocumentStore } from './document-store.ts'
import { Editing } from './editing.ts'
import { testDocument, testModel, testPlace } from './test-model.ts'

type Answer = { status?: number; body: unknown } | Error

/**
 * Starts an editing session. A fake server returns `answers` to writes in order. `told` collects the calls to the page.
 */
function start(answers: Answer[], { isNew = false, current = testDocument(1, { title: 'a' }) } = {}) {
  const seen = answerRequests((request: SeenRequest) => {
    if (request.path.endsWith('csrfToken')) return { body: { csrfToken: 'token' } }
    if (request.method === 'GET') return { body: { document: current } }
    return answers.shift() ?? new Error('unexpected')
  })
  const told: unknown[] = []
  const store = new DocumentStore(testModel, isNew ? { defaults: {} } : testDocument(1, { title: 'a' }))
  const saver = new DocumentSaver(testModel, testPlace, store)
  const editing = new Editing(store, saver, {
    tell: (news) => told.push(news.kind),
    changed: (document?: Document) => told.push(['changed', document?._sys.version ?? null]),
    goTo: async ({ _id }) => void told.push(['goTo', _id]),
  })
  const bodies = () => seen.filter(({ method }) => method !== 'GET').map(({ body }) => body)
  return { store, saver, editing, told, bodies }
}

const saved = (version: number, title: string): Answer => ({
  body: { document: testDocument(version, { title }) },
})
const conflict: Answer = {
  status: 409,
  body: { code: 'VersionConflict', message: 'x', current: 2, by: null, at: null, fields: ['title'] },
}

it('Editing navigates to a new document after its first save only', async () => {
  const { store, editing, told } = start([saved(1, 'b'), saved(2, 'c')], { isNew: true })
  store.set('title', 'b')
  expect(await editing.save('SAVE')).toBe(true)
  store.set('title', 'c')
  expect(await editing.save('PUBLISH')).toBe(true)
  expect(told).toEqual([['changed', 1], ['goTo', 'a'.repeat(24)], 'published', ['changed', 2]])
})

it('Editing counts refused publications, and resets the count after a successful save', async () => {
  const { store, editing, told } = start([saved(2, 'b')])
  store.set('price', 500)
  expect(await editing.save('PUBLISH')).toBe(false)
  expect(await editing.save('PUBLISH')).toBe(false)
  expect(editing.status.get().refusals).toBe(2)
  store.set('price', 5)
  expect(await editing.save('SAVE')).toBe(true)
  expect(editing.status.get().refusals).toBe(0)
  expect(told).toEqual(['refused', 'refused', ['changed', 2]])
})

it('Editing asks for a decision after a conflict, and publishes the input decided as `mine`', async () => {
  const { store, editing, told, bodies } = start([conflict, saved(3, 'mine')], {
    current: testDocument(2, { title: 'theirs' }),
  })
  store.set('title', 'mine')
  expect(await editing.save('PUBLISH')).toBe(false)
  expect(editing.status.get().deciding).toBe(true)
  await editing.decide({ title: 'mine' })
  expect(editing.status.get().deciding).toBe(false)
  expect(bodies().at(-1)).toEqual({ doc: { title: 'mine', _sys: { version: 2 } }, type: 'PUBLISH' })
  expect(told).toEqual(['published', ['changed', 3]])
})

it('Editing does not save again if a conflict is decided as `theirs`', async () => {
  const { store, editing, told, bodies } = start([conflict], {
    current: testDocument(2, { title: 'theirs' }),
  })
  store.set('title', 'mine')
  await editing.save('SAVE')
  await editing.decide({ title: 'theirs' })
  expect(store.get('title')).toBe('theirs')
  expect(bodies()).toHaveLength(1)
  expect(told).toEqual([['changed', null]])
})

it('Editing takes over a newer version, and ignores the current version and another document', () => {
  const { store, editing } = start([])
  editing.receive(testDocument(1, { title: 'old' }))
  expect(store.get('title')).toBe('a')
  editing.receive(testDocument(2, { title: 'newer' }))
  expect(store.get('title')).toBe('newer')
  expect(editing.status.get().merged).toEqual({ fields: ['title'], authors: undefined, since: 1 })
  editing.closeMerged()
  editing.receive({ ...testDocument(3, { title: 'x' }), _id: 'c'.repeat(24) })
  expect(editing.status.get().merged).toBeNull()
  expect(store.get('title')).toBe('newer')
})

it('Editing removes a field from the notice of merged changes when a save changes the field', async () => {
  const { store, editing } = start([
    { body: { document: testDocument(3, { title: 'mine', body: '<p>theirs</p>' }) } },
  ])
  editing.receive(testDocument(2, { title: 'theirs', body: '<p>theirs</p>' }))
  expect(editing.status.get().merged?.fields).toEqual(['title', 'body'])
  store.set('title', 'mine')
  expect(editing.status.get().merged?.fields).toEqual(['title', 'body'])
  await editing.save('SAVE')
  expect(editing.status.get().merged).toEqual({ fields: ['body'], authors: undefined, since: 1 })
})

it.each(['mine', 'theirs'] as const)(
  'Editing removes the notice of one merged change when a conflict about that field is decided as %s',
  async (choice) => {
    const { store, editing } = start([conflict, saved(4, 'mine')], {
      current: testDocument(3, { title: 'newest' }),
    })
    editing.receive(testDocument(2, { title: 'theirs' }))
    store.set('title', 'mine')
    await editing.save('SAVE')
    expect(editing.status.get().merged?.fields).toEqual(['title'])
    await editing.decide({ title: choice })
    expect(editing.status.get().merged).toBeNull()
  },
)

it('Editing saves a failed publication as a draft on `resume`, and reports two lost connections once', async () => {
  const { store, editing, told, bodies } = start([
    new TypeError('fetch failed'),
    new TypeError('fetch failed'),
    saved(2, 'b'),
  ])
  store.set('title', 'b')
  expect(await editing.save('PUBLISH')).toBe(false)
  await editing.resume()
  expect(told).toEqual(['failed'])
  await editing.resume()
  expect(told).toEqual(['failed', ['changed', 2]])
  expect(bodies().at(-1)).toMatchObject({ type: 'SAVE' })
})

it('Editing saves the input of a deleted document as a new document', async () => {
  const { store, editing, saver, told, bodies } = start([
    { status: 404, body: { code: 'NotFound', message: 'x' } },
    saved(1, 'b'),
  ])
  store.set('title', 'b')
  expect(await editing.save('SAVE')).toBe(false)
  expect([told, saver.status.get().phase]).toEqual([['deleted'], 'deleted'])
  await editing.saveAsNew()
  expect(bodies().at(-1)).toMatchObject({ document: { title: 'b' }, type: 'SAVE' })
  expect(told).toEqual(['deleted', ['changed', 1], ['goTo', 'a'.repeat(24)]])
})
