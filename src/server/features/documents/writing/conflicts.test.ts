import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createApp, createMember, createModel, createSpace, unique } from '#test/factories.ts'
import { lengthOf } from '#test/full-length.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let accountId: string
let app: { uid: string; url: string }
/** Another admin of the space. */
let other: { client: Client; id: string }

beforeAll(async () => {
  installation = await startInstallation()
  const account = await createAccount(installation, { name: '佐藤' })
  client = account.client
  accountId = account.id
  const space = await createSpace(client)
  app = await createApp(client, space)
  other = await createMember(installation, space, 'pjt-Admin')
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

async function makeDocument() {
  const model = await createModel(client, app, unique('article'), [
    { uid: 'title', name: 'タイトル', type: 'TEXT' },
    { uid: 'body', name: '本文', type: 'MARKDOWN' },
    { uid: 'tags', name: 'タグ', type: 'TEXT', multiple: true },
  ])
  const docs = `${model.url}/doc`
  const { document } = ok(await client.post(docs, { document: { title: '題', body: '本文' } }))
  return { docs, at: `${docs}/${document._id}`, document }
}

describe('a base version', () => {
  it('is accepted if it is current', async () => {
    const { at } = await makeDocument()
    const { document, merged } = ok(await client.put(at, { doc: { title: '2' } }, { 'if-match': '"1"' }))
    expect(document).toMatchObject({ title: '2', _sys: { version: 2 } })
    expect(merged).toBeUndefined()
  })

  it('that is stale leads to a merge if only other fields have changed, and the response lists them', async () => {
    const { at, document } = await makeDocument()
    ok(await client.put(at, { doc: { title: '彼らの' } }))
    const answer = ok(await client.put(at, { doc: { ...document, body: '私の' } }))
    expect(answer.document).toMatchObject({ title: '彼らの', body: '私の', _sys: { version: 3 } })
    expect(answer.merged).toEqual(['title'])
  })

  it('that is stale is rejected with details of the conflict if the same field has changed', async () => {
    const { at, document } = await makeDocument()
    ok(await client.put(at, { doc: { title: '彼らの', tags: ['a'] } }))
    const answer = await client.put(at, { doc: { ...document, title: '私の', body: '私の' } })
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({
      code: 'VersionConflict',
      current: 2,
      by: { _id: accountId, name: '佐藤' },
      fields: ['title'],
    })
    expect(new Date(answer.body.at).getTime()).toBeGreaterThan(0)
    expect(ok(await client.get(at)).document).toMatchObject({ title: '彼らの', body: '本文' })
  })

  it('in If-Match takes precedence over the version in the body', async () => {
    const { at } = await makeDocument()
    ok(await client.put(at, { doc: { title: '彼らの' } }))
    const doc = { title: '私の', _sys: { version: 2 } }
    expect((await client.put(at, { doc }, { 'if-match': '"1"' })).status).toBe(409)
    expect((await client.put(at, { doc }, { 'if-match': '"2"' })).status).toBe(200)
  })

  it('that never existed conflicts in the sent field', async () => {
    const { at } = await makeDocument()
    const answer = await client.put(at, { doc: { title: 'x' } }, { 'if-match': '"99"' })
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({ current: 1, fields: ['title'] })
  })

  it('may be missing, and the new revision is then marked as blind', async () => {
    const { at } = await makeDocument()
    ok(await client.put(at, { doc: { title: '彼らの' } }))
    ok(await client.put(at, { doc: { title: '私の' } }))
    expect(ok(await client.get(`${at}/revision/2`)).revision.values.title).toBe('彼らの')
    const rows = await installation.database.kysely
      .selectFrom('revision')
      .select(['version', 'blind'])
      .where('document_id', '=', at.slice(-24))
      .orderBy('version')
      .execute()
    expect(rows.map((row) => row.blind)).toEqual([false, true, true])
  })

  it.each(['7', '""', '"0"', '"x"', 'W/"7"', '"7", "8"', '*', '"99999999999"'])(
    'in If-Match is rejected as malformed: %s',
    async (header) => {
      const { at } = await makeDocument()
      const answer = await client.put(at, { doc: { title: 'x' } }, { 'if-match': header })
      expect(answer.status).toBe(400)
      expect(answer.body.code).toBe('ValidationFailed')
    },
  )

  it('in the body is rejected if it is a fraction, below 1, above 2^31 - 1 or not a number', async () => {
    const { at } = await makeDocument()
    for (const version of ['1', 1.5, 0, -1, 2 ** 31, {}, true]) {
      const answer = await client.put(at, { doc: { title: 'x', _sys: { version } } })
      expect([answer.status, answer.body.issues]).toEqual([
        400,
        [{ path: 'doc._sys.version', code: 'InvalidType' }],
      ])
    }
  })
})

describe('changes since a base version', () => {
  const authorIds = (authors: ({ _id: string } | null)[]) => authors.map((author) => author?._id)

  it('in other fields are merged, and the response lists their authors', async () => {
    const { at } = await makeDocument()
    ok(await other.client.put(at, { doc: { title: '彼らの' } }))
    // The user whose save is merged has also saved another field after version 1.
    ok(await client.put(at, { doc: { tags: ['a'] } }))
    const answer = ok(await client.put(at, { doc: { body: '私の' } }, { 'if-match': '"1"' }))
    expect(answer.merged).toEqual(['title', 'tags'])
    expect(authorIds(answer.mergedFrom)).toEqual([other.id, accountId])
  })

  it('cause a conflict that names the author and time of the conflicting change, not of the last change', async () => {
    const { at } = await makeDocument()
    ok(await other.client.put(at, { doc: { title: '彼らの' } }))
    const [{ createdAt: changedAt }] = ok(await client.get(`${at}/revisions`)).revisions
    ok(await client.put(at, { doc: { body: '別の画面' } }))
    const answer = await client.put(at, { doc: { title: '私の' } }, { 'if-match': '"1"' })
    expect(answer.body).toMatchObject({ current: 3, by: { _id: other.id }, at: changedAt, fields: ['title'] })
  })

  it('have authors, which changeAuthors returns for the requested fields', async () => {
    const { at } = await makeDocument()
    ok(await other.client.put(at, { doc: { title: '2' } }))
    ok(await client.put(at, { doc: { body: '3' } }))
    ok(await other.client.put(at, { doc: {}, type: 'PUBLISH' }))
    const authors = async (query: string) =>
      authorIds(ok(await client.get(`${at}/changeAuthors?${query}`)).authors)
    expect(await authors('since=1&fields=title')).toEqual([other.id])
    expect(await authors('since=1&fields=title,body')).toEqual([other.id, accountId])
    expect(await authors('since=2&fields=title')).toEqual([])
    expect(await authors('since=1&fields=tags,nothing')).toEqual([])
    expect(await authors('since=99&fields=title')).toEqual([])
    expect((await client.get(`${at}/changeAuthors?since=0&fields=title`)).status).toBe(400)
    expect((await client.get(`${at}/changeAuthors?since=1`)).status).toBe(400)
  })
})

describe('a publication', () => {
  it('with a stale base version publishes the merged state if only other fields have changed', async () => {
    const { at } = await makeDocument()
    ok(await client.put(at, { doc: { title: '彼らの' } }))
    const doc = { body: '私の', _sys: { version: 1 } }
    const { document } = ok(await client.put(at, { doc, type: 'PUBLISH' }))
    expect(document).toMatchObject({ title: '彼らの', body: '私の', _sys: { status: 'published' } })
  })

  it('during concurrent saves publishes the title and body of the same save', async () => {
    const { at, docs, document } = await makeDocument()
    const edits = Array.from({ length: 20 }, (_, n) =>
      client.put(at, { doc: { title: `t${n}`, body: `b${n}` } }),
    )
    const publishes = Array.from({ length: 10 }, () =>
      client.post(`${docs}/bulkPublish`, { documentIds: [document._id] }),
    )
    for (const answer of await Promise.all([...edits, ...publishes])) expect(answer.status).toBe(200)
    const row = await installation.database.kysely
      .selectFrom('document')
      .select(['pub', 'published_version'])
      .where('id', '=', document._id)
      .executeTakeFirstOrThrow()
    const values = Object.values(row.pub ?? {}).map((value) => String(value).slice(1))
    expect(new Set(values).size).toBe(1)
  })
})

describe('concurrent writers', () => {
  it('lose no acknowledged edit if they send the version that they read', async () => {
    const { at } = await makeDocument()
    const acknowledged: { marker: string; version: number }[] = []
    let refused = 0
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let n = 0; n < 20; n++) {
          const marker = `${writer}-${n}`
          const { document } = ok(await client.get(at))
          const doc = { tags: [...(document.tags ?? []), marker] }
          const answer = await client.put(at, { doc }, { 'if-match': `"${document._sys.version}"` })
          if (answer.status === 200) acknowledged.push({ marker, version: answer.body.document._sys.version })
          else {
            expect(answer.status).toBe(409)
            refused++
          }
        }
      }),
    )
    const { document } = ok(await client.get(at))
    acknowledged.sort((a, b) => a.version - b.version)
    expect(document.tags).toEqual(acknowledged.map((edit) => edit.marker))
    expect(acknowledged.length + refused).toBe(320)
    expect(acknowledged.length).toBeGreaterThan(0)
  })

  it('cannot publish one unique value twice: one succeeds, and the others get an issue', async () => {
    const model = await createModel(client, app, unique('unique'), [
      { uid: 'title', name: '題', type: 'TEXT' },
      { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
    ])
    for (const slug of ['初', 'が', 'x'.repeat(3000), '字'.repeat(9000)]) {
      const answers = await Promise.all(
        Array.from({ length: 16 }, () =>
          client.post(`${model.url}/doc`, { document: { title: 't', slug }, type: 'PUBLISH' }),
        ),
      )
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
      for (const answer of answers.filter((found) => found.status !== 200)) {
        expect(answer.status).toBe(400)
        expect(answer.body).toMatchObject({
          code: 'ValidationFailed',
          issues: [{ path: 'slug', code: 'DuplicatedValue' }],
        })
      }
    }
    expect(ok(await client.get(model.url)).model.documentCount).toBe(4)
  })

  it('get status 200 or 400 when they swap unique values', async () => {
    const model = await createModel(client, app, unique('swap'), [
      { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
    ])
    const docs = `${model.url}/doc`
    const ids = await Promise.all(
      ['a', 'b'].map(
        async (slug) => ok(await client.post(docs, { document: { slug }, type: 'PUBLISH' })).document._id,
      ),
    )
    const statuses = new Set<number>()
    for (let round = 0; round < lengthOf(5, 200); round++) {
      const answers = await Promise.all(
        ids.flatMap((id) =>
          ['a', 'b', 'c'].map((slug) => client.put(`${docs}/${id}`, { doc: { slug }, type: 'PUBLISH' })),
        ),
      )
      for (const answer of answers) statuses.add(answer.status)
    }
    expect([...statuses].every((status) => status === 200 || status === 400)).toBe(true)
  })
})
