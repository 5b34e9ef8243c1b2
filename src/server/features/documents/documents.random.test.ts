import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace, signIn } from '#test/factories.ts'
import { lengthOf } from '#test/full-length.ts'
import { findViolations } from '#test/invariants.ts'
import { type Answer, type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let clients: Client[]
let app: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation()
  const account = await createAccount(installation)
  clients = [account.client, ...(await Promise.all([1, 2, 3].map(() => signIn(installation, account.id))))]
  app = await createApp(account.client, await createSpace(account.client))
})
afterAll(() => installation?.close())

/**
 * Returns a pseudo-random generator of integers below n. A failed test reports its seed and can be repeated with it.
 */
function generator(seed: number) {
  let state = seed
  return (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

const seed = Number(process.env.IMORI_TEST_SEED ?? Math.floor(Math.random() * 1e9))

it(`random commands of four concurrent sessions leave consistent rows (seed ${seed})`, async () => {
  const admin = clients[0]!
  const authors = await createModel(admin, app, 'author', [
    { uid: 'name', name: '名前', type: 'TEXT' },
    { uid: 'mail', name: 'メール', type: 'TEXT', unique: true },
  ])
  const articles = await createModel(admin, app, 'article', [
    { uid: 'title', name: '題', type: 'TEXT' },
    { uid: 'slug', name: 'スラッグ', type: 'TEXT', unique: true },
    { uid: 'body', name: '本文', type: 'RICH_TEXT' },
    { uid: 'tags', name: 'タグ', type: 'TEXT', multiple: true, maxItems: 2 },
    { uid: 'author', name: '著者', type: 'REFERENCE', modelUid: 'author' },
    { uid: 'related', name: '関連', type: 'REFERENCE', modelUid: 'article', multiple: true },
  ])
  const random = generator(seed)
  const pick = <T>(items: T[]): T | undefined => items[random(items.length)]
  const ids = { author: [] as string[], article: [] as string[] }
  const docsOf = { author: `${authors.url}/doc`, article: `${articles.url}/doc` }

  const values = (model: 'author' | 'article'): Record<string, unknown> => {
    if (model === 'author') return { name: `著者${random(5)}`, mail: `m${random(40)}` }
    return {
      title: `題${random(5)}`,
      ...(random(2) ? { slug: random(4) ? `s${random(30)}` : '' } : {}),
      ...(random(2) ? { body: `<p>本文${random(9)}</p><script>x</script>` } : {}),
      ...(random(2) ? { tags: Array.from({ length: random(4) }, () => `t${random(3)}`) } : {}),
      ...(random(3) ? { author: pick(ids.author) ?? null } : {}),
      ...(random(3) ? {} : { related: [pick(ids.article), pick(ids.article)].filter(Boolean) }),
    }
  }

  const commands: ((client: Client, model: 'author' | 'article', id: string) => Promise<Answer>)[] = [
    async (client, model) => {
      const answer = await client.post(docsOf[model], {
        document: values(model),
        type: random(3) ? 'SAVE' : 'PUBLISH',
      })
      if (answer.status === 200) ids[model].push(answer.body.document._id)
      return answer
    },
    (client, model, id) => client.put(`${docsOf[model]}/${id}`, { doc: values(model) }),
    (client, model, id) =>
      client.put(`${docsOf[model]}/${id}`, { doc: values(model) }, { 'if-match': `"${1 + random(6)}"` }),
    (client, model, id) => client.put(`${docsOf[model]}/${id}`, { doc: values(model), type: 'PUBLISH' }),
    async (client, model, id) => {
      const answer = await client.put(`${docsOf[model]}/${id}`, { doc: {}, type: 'DUPLICATE' })
      if (answer.status === 200) ids[model].push(answer.body.document._id)
      return answer
    },
    async (client, model, id) => {
      // About half of the trashed documents are still used in later calls.
      if (random(2)) ids[model] = ids[model].filter((other) => other !== id)
      return client.delete(`${docsOf[model]}/${id}`)
    },
    (client, model, id) => {
      const call = pick(['bulkPublish', 'bulkPublish', 'bulkUnpublish', 'bulkDelete'])
      const documentIds = [id, pick(ids[model]), pick(ids[model])].filter((item) => item !== undefined)
      const chosen = call === 'bulkPublish' && random(2) ? { versions: { [id]: 1 + random(4) } } : {}
      return client.post(`${docsOf[model]}/${call}`, { documentIds, ...chosen })
    },
    (client, model, id) =>
      client.post(`${docsOf[model]}/updateCustomOrder`, {
        documentIds: [...new Set([id, pick(ids[model]) ?? id])],
      }),
  ]

  const statuses = new Map<number, number>()
  await Promise.all(
    clients.map(async (client) => {
      for (let n = 0; n < lengthOf(60, 2_000); n++) {
        const model = random(3) ? 'article' : 'author'
        const id = pick(ids[model])
        const command = id === undefined ? commands[0] : pick(commands)
        const answer = await command!(client, model, id ?? '')
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      }
    }),
  )
  expect(await findViolations(installation.database)).toEqual([])
  expect([...statuses.keys()].filter((status) => ![200, 400, 404, 409].includes(status))).toEqual([])
  expect(statuses.get(200)).toBeGreaterThan(60)

  // The rows are consistent after changes of the models too.
  ok(await admin.post(docsOf.article, { document: { title: 'x', tags: ['a', 'b'] } }))
  const { model } = ok(await admin.get(articles.url))
  const fields = model.fields
    .filter((field: { uid: string }) => field.uid !== 'author')
    .map((field: { uid: string }) =>
      field.uid === 'tags' ? { ...field, multiple: false, unique: false } : field,
    )
  const data = { fields, uid: 'story', version: model.version }
  const refused = await admin.put(articles.url, { data })
  expect([refused.status, refused.body.losses.length > 0]).toEqual([400, true])
  ok(await admin.put(articles.url, { data, acceptLoss: true }))
  expect(await findViolations(installation.database)).toEqual([])
})

it('findViolations reports inconsistent rows', async () => {
  const admin = clients[0]!
  const model = await createModel(admin, app, 'broken', [
    { uid: 'title', name: '題', type: 'TEXT', unique: true },
  ])
  ok(await admin.post(`${model.url}/doc`, { document: { title: 'x' }, type: 'PUBLISH' }))
  const { pool } = installation.database
  const { rows } = await pool.query("SELECT id FROM model WHERE uid = 'broken'")
  const id = rows[0].id
  expect(await findViolations(installation.database)).toEqual([])
  const damages = [
    `UPDATE document_unique SET stage = 0 WHERE model_id = ${id}`,
    `UPDATE document_text SET stage = 0 WHERE model_id = ${id}`,
    `DELETE FROM event WHERE model_id = ${id} AND type = 'document.published'`,
    `UPDATE model_stat SET published = 0 WHERE model_id = ${id}`,
    `UPDATE document SET version = version + 1 WHERE model_id = ${id}`,
    `UPDATE document SET pub = '{"x": 1}' WHERE model_id = ${id}`,
  ]
  const connection = await pool.connect()
  try {
    let before = 0
    for (const damage of damages) {
      const { rowCount } = await connection.query(damage)
      expect([damage, rowCount]).toEqual([damage, 1])
      const found = (await findViolations(installation.database)).length
      expect([damage, found > before]).toEqual([damage, true])
      before = found
    }
  } finally {
    connection.release()
  }
})
