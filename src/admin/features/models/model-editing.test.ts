import { expect, it } from 'vitest'
import { api } from '#admin/lib/api.ts'
import { answerRequests, type SeenRequest } from '#admin/lib/testing.tsx'
import type { Model } from '#shared/contract/models.ts'
import { fieldSchema } from '#shared/fields/index.ts'
import { type Consequences, ModelEditing } from './model-editing.ts'

type Answer = { status?: number; body: unknown } | Error

const field = fieldSchema.parse({ _id: '1'.padStart(24, '0'), uid: 'title', name: 'タイトル', type: 'TEXT' })
const model = (parts: Partial<Model> = {}): Model => ({
  _id: 'f'.repeat(24),
  uid: 'article',
  name: '記事',
  description: '',
  fields: [field],
  titleField: field._id,
  version: 3,
  conversion: null,
  documentCount: 0,
  publishedCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...parts,
})

/**
 * Starts an editing session. A fake server returns `answers` to saves in order. `told` collects the calls to the page.
 */
function start(
  answers: Answer[],
  current: Model = model({ version: 4, name: '別人の記事' }),
  consequences: Consequences = { losses: [], site: [], blocked: [] },
) {
  const seen = answerRequests((request: SeenRequest) => {
    if (request.path.endsWith('csrfToken')) return { body: { csrfToken: 'token' } }
    return answers.shift() ?? new Error('unexpected')
  })
  const told: unknown[] = []
  const editing = new ModelEditing(
    model(),
    { kind: 'model', modelUids: ['article', 'author'], customTypeUids: [] },
    {
      plan: async (uid) => {
        told.push(['planned', uid])
        return consequences
      },
      send: async (m, body) =>
        (await api('PUT /api/project/{p}/app/{a}/model/{m}', { params: { p: 'kawa', a: 'blog', m }, body }))
          .model,
      saved: async ({ uid, version }, uidBefore) => void told.push(['saved', uid, version, uidBefore]),
      failed: (error) => told.push(['failed', (error as { code?: string }).code]),
      read: async () => current,
    },
  )
  const saves = () => seen.filter(({ method }) => method === 'PUT')
  return { editing, told, saves }
}

const rename = (editing: ModelEditing, name: string) => editing.dispatch({ type: 'edit', patch: { name } })

it('ModelEditing sends the draft to the saved uid, with the version that the draft is based on', async () => {
  const { editing, told, saves } = start([{ body: { model: model({ uid: 'post', version: 4 }) } }])
  editing.dispatch({ type: 'edit', patch: { uid: 'post' } })
  await editing.save()
  expect(saves()).toMatchObject([{ body: { data: { uid: 'post', version: 3 } } }])
  expect(saves()[0]?.path).toMatch(/\/model\/article$/)
  expect(told).toEqual([
    ['planned', 'article'],
    ['saved', 'post', 4, 'article'],
  ])
  expect(editing.status.get()).toMatchObject({ phase: 'idle', state: { version: 4 } })
})

it('ModelEditing sends nothing if the draft has issues, and sets `showAll`', async () => {
  const { editing, saves } = start([])
  rename(editing, ' ')
  await editing.save()
  expect(saves()).toEqual([])
  expect(editing.status.get().showAll).toBe(true)
})

it('ModelEditing assigns a duplicate name reported by the server to the property `name`', async () => {
  const taken = (path: string) => ({
    status: 409,
    body: { code: 'CustomFieldTypeIsAlreadyInUse', issues: [{ path, code: 'DuplicatedValue' }] },
  })
  const { editing } = start([taken('data.name')])
  rename(editing, '投稿')
  await editing.save()
  expect(editing.status.get().refused?.issues).toEqual([
    { key: null, property: 'name', code: 'DuplicatedValue' },
  ])
})

it('ModelEditing asks before a change of the uid that affects sites, but not before a change of the name', async () => {
  const consequences: Consequences = {
    losses: [],
    site: [{ kind: 'modelUid', field: null, before: 'article', after: 'post' }],
    blocked: [],
  }
  const { editing, told, saves } = start(
    [{ body: { model: model({ version: 4 }) } }, { body: { model: model({ version: 5 }) } }],
    undefined,
    consequences,
  )
  rename(editing, '投稿')
  await editing.save()
  expect(told).toEqual([['saved', 'article', 4, 'article']])
  editing.dispatch({ type: 'edit', patch: { uid: 'post' } })
  await editing.save()
  expect(editing.status.get()).toMatchObject({ phase: 'idle', pending: { consequences } })
  expect(saves()).toHaveLength(1)
  await editing.save({ accepted: true })
  expect(saves()[1]?.body).toMatchObject({ data: { uid: 'post' }, acceptLoss: true })
  expect(editing.status.get().pending).toBeNull()
})

it('ModelEditing asks for confirmation if the server reports lost values, and sends the confirmation', async () => {
  const losses = [{ field: 'title', documents: 3, reason: 'typeChanged' }]
  const refusal = { status: 409, body: { code: 'DataWillBeLost', message: 'x', losses } }
  const { editing, saves } = start([refusal, { body: { model: model({ version: 4 }) } }])
  rename(editing, '投稿')
  await editing.save()
  expect(editing.status.get()).toMatchObject({ phase: 'idle', pending: { consequences: { losses } } })
  await editing.save({ accepted: true })
  expect(saves()[1]?.body).toMatchObject({ acceptLoss: true })
  expect(editing.status.get().pending).toBeNull()
})

it('ModelEditing shows the state saved by another member, and overwrites it on request', async () => {
  const refusal = { status: 409, body: { code: 'VersionConflict', message: 'x' } }
  const { editing, saves } = start([refusal, { body: { model: model({ name: '投稿', version: 5 }) } }])
  rename(editing, '投稿')
  await editing.save()
  const { phase, pending } = editing.status.get()
  expect([phase, pending]).toMatchObject(['conflict', { kind: 'conflict', model: { name: '別人の記事' } }])
  if (pending?.kind === 'conflict') await editing.overwrite(pending.model)
  expect(saves()[1]?.body).toMatchObject({ data: { name: '投稿', version: 4 } })
  expect(editing.status.get()).toMatchObject({ phase: 'idle', pending: null, state: { version: 5 } })
})

it('ModelEditing assigns a server issue to the field of the issue, and is idle after the draft changes', async () => {
  const issues = [{ path: 'data.fields.0.uid', code: 'InvalidValue' }]
  const { editing, told } = start([{ status: 400, body: { code: 'ValidationFailed', message: 'x', issues } }])
  rename(editing, '投稿')
  await editing.save()
  expect(editing.status.get()).toMatchObject({
    phase: 'failed',
    showAll: true,
    refused: { issues: [{ key: field._id, property: 'uid', code: 'InvalidValue' }] },
  })
  rename(editing, '投稿2')
  expect(editing.status.get().phase).toBe('idle')
  expect(told).toEqual([])
})

it('ModelEditing ignores a save that is requested during another save', async () => {
  const { editing, saves } = start([{ body: { model: model({ version: 4 }) } }])
  rename(editing, '投稿')
  await Promise.all([editing.save(), editing.save()])
  expect(saves()).toHaveLength(1)
})

it('ModelEditing reports an error that belongs to no field, and is offline after a lost connection', async () => {
  const { editing, told } = start([
    { status: 403, body: { code: 'Forbidden', message: 'x' } },
    new TypeError('fetch failed'),
  ])
  rename(editing, '投稿')
  await editing.save()
  await editing.save()
  expect(told).toEqual([
    ['failed', 'Forbidden'],
    ['failed', 'NetworkError'],
  ])
  expect(editing.status.get().phase).toBe('offline')
})
