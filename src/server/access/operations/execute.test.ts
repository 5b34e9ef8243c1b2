import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Db } from '#server/db/scope.ts'
import { operations } from '#server/features/index.ts'
import { directoryCaller } from '#server/features/scim/directory-caller.ts'
import { newId } from '#server/lib/ids.ts'
import type { AuditEntry } from '#shared/contract/audit-log.ts'
import { endpoints } from '#shared/contract/index.ts'
import {
  createAccount,
  createApp,
  createMember,
  createModel,
  createSpace,
  type TestAccount,
} from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'
import type { Caller } from '../caller.ts'
import { asSystem, onBehalf } from '../callers/job.ts'
import { execute, type OperationCall } from './execute.ts'
import type { RequestInfo } from './operation.ts'

let installation: TestInstallation
let admin: TestAccount
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let model: { uid: string; url: string }
let editor: TestAccount & { memberId: string }
beforeAll(async () => {
  installation = await startInstallation()
  admin = await createAccount(installation)
  space = await createSpace(admin.client)
  app = await createApp(admin.client, space)
  model = await createModel(admin.client, app)
  editor = await createMember(installation, space, 'pjt-Member', {
    admin: admin.client,
    url: app.url,
    role: 'app-Editor',
  })
})
afterAll(() => installation?.close())

const request: RequestInfo = {
  language: 'ja',
  queryString: '',
  ifMatch: undefined,
  fieldIndexes: undefined,
  signal: new AbortController().signal,
}

/** Executes an operation in the test's model, as callers without a request do. */
function call(
  name: keyof typeof endpoints,
  caller: Caller,
  {
    id,
    body,
    db = installation.database.kysely,
    ...options
  }: Partial<Pick<OperationCall, 'origin' | 'idempotency'>> & { id?: string; body?: unknown; db?: Db } = {},
): Promise<unknown> {
  const operation = operations.find(({ endpoint }) => endpoint === endpoints[name])
  if (!operation) throw new Error(`no operation ${name}`)
  const isInApp = operation.endpoint.route.includes('{a}')
  return execute({ db, services: installation.deps.services }, operation, {
    recognise: () => caller,
    origin: null,
    params: {
      p: space.uid,
      ...(isInApp && { a: app.uid, m: model.uid }),
      ...(id === undefined ? {} : { id }),
    },
    query: {},
    body: () => body,
    request,
    ...options,
  })
}

const createDocument = async (caller: Caller, title: string): Promise<{ _id: string }> => {
  const answer = await call('createDocument', caller, { body: { document: { title }, type: 'SAVE' } })
  return (answer as { document: { _id: string } }).document
}
const actor = () => ({ kind: 'job' as const, id: newId(), name: 'test.job' })
const system = asSystem({ name: 'test.job' }, 'pendingRangesExpired')
/** Returns the job on behalf of an account. */
const jobFor = ({ id }: { id: string }) => onBehalf({ ...actor(), askedBy: id })
const newestEntry = async (): Promise<AuditEntry> =>
  ok(await admin.client.get(`${space.url}/auditLog?limit=1`)).auditLogs[0]
const codeOf = (work: Promise<unknown>) => work.then(() => null).catch(({ code }) => code)

describe('an operation that a job executes', () => {
  it('writes an audit entry that names the document, the job and the account it acts for', async () => {
    const document = await createDocument(jobFor(editor), '予約した記事')
    expect(await newestEntry()).toMatchObject({
      act: 'document.create',
      outcome: 'done',
      actor: { kind: 'job', name: 'test.job', _id: editor.id },
      ip: null,
      object: { kind: 'document', _id: document._id },
      details: { app: app.uid, model: model.uid },
    })
    expect(ok(await admin.client.get(`${model.url}/doc/${document._id}`)).document).toMatchObject({
      title: '予約した記事',
    })
  })

  it('writes an audit entry with the reason when the system executes it', async () => {
    const document = await createDocument(system, 'システム')
    await call('deleteDocument', system, { id: document._id })
    expect(await newestEntry()).toMatchObject({
      act: 'document.delete',
      actor: { kind: 'system', name: 'test.job', _id: null },
      object: { kind: 'document', _id: document._id },
      details: { systemReason: 'pendingRangesExpired' },
    })
  })

  it('refuses an account without the right, and has no effect', async () => {
    const stranger = await createAccount(installation)
    const viewer = await createMember(installation, space, 'pjt-Member', {
      admin: admin.client,
      url: app.url,
      role: 'app-Subscriber',
    })
    const before = await newestEntry()
    expect(await codeOf(createDocument(jobFor(viewer), 'x'))).toBe('RequesterMayNot')
    expect(await codeOf(createDocument(jobFor(stranger), 'x'))).toBe('RequesterMayNot')
    expect(await newestEntry()).toEqual(before)
  })

  it('refuses input that violates the schema, with the path', async () => {
    const document = { title: 'x' }
    await expect(
      call('createDocument', jobFor(editor), { body: { document, type: 'SAVE', more: 1 } }),
    ).rejects.toMatchObject({ code: 'ValidationFailed', issues: [{ path: 'more' }] })
  })

  it('has its effect once per idempotency key', async () => {
    const body = { document: { title: '一度だけ' }, type: 'SAVE' }
    const once = () =>
      call('createDocument', jobFor(editor), { body, idempotency: { key: 'the-same', asked: body } })
    const first = await once()
    expect(await once()).toEqual(first)
    const other = { key: 'the-same', asked: 'another request' }
    expect(await codeOf(call('createDocument', jobFor(editor), { body, idempotency: other }))).toBe(
      'IdempotencyKeyReused',
    )
  })

  it('is refused if its handler needs a session', async () => {
    expect(await codeOf(call('createInvitation', system, { body: { invitation: {} } }))).toBe('Forbidden')
    expect(await codeOf(call('listSpaces', jobFor(admin), { origin: { ip: '::1', agent: null } }))).toBe(
      'Unauthorized',
    )
  })
})

describe('an operation that a directory executes', () => {
  it('writes an audit entry with its token and address', async () => {
    const { token } = ok(await admin.client.post(`${space.url}/scim`, { data: {} })).scim
    const origin = { ip: '203.0.113.9', agent: 'Directory/1.0' }
    const caller = directoryCaller(token, origin)
    await call('deleteMember', caller, { id: editor.memberId, origin })
    expect(await newestEntry()).toMatchObject({
      act: 'member.remove',
      actor: { kind: 'token', name: 'SCIM' },
      ip: origin.ip,
      userAgent: origin.agent,
      object: { kind: 'member', _id: editor.memberId },
    })
  })
})

describe('an operation inside a larger transaction', () => {
  it('has its effect and its audit entry only if the transaction commits', async () => {
    const before = await newestEntry()
    const work = (rollBack: boolean) =>
      installation.database.kysely.transaction().execute(async (db) => {
        await call('deleteMember', system, { id: member.memberId, db })
        if (rollBack) throw new Error('rolled back')
      })
    const member = await createMember(installation, space)
    await expect(work(true)).rejects.toThrow('rolled back')
    expect(await newestEntry()).toEqual(before)
    await work(false)
    expect(await newestEntry()).toMatchObject({ act: 'member.remove', object: { _id: member.memberId } })
  })
})
