import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount, createApp, createModel, createSpace } from '#test/factories.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'
import { expectWaiting } from '#test/while-held.ts'

let installation: TestInstallation
let client: Client
let model: { uid: string; url: string }

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  model = await createModel(client, await createApp(client, await createSpace(client)))
})
afterAll(() => installation?.close())

it('a change of a model waits for a running save, and is applied before later saves', async () => {
  const save = (title: string) => client.post(`${model.url}/doc`, { document: { title } })
  ok(await save('first'))
  const order: string[] = []
  const { kysely, pool } = installation.database
  const id = ok(await client.get(`${model.url}/doc`)).documents[0]._id
  // Another transaction delays a save half-way.
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const holder = kysely.transaction().execute(async (tx) => {
    await tx.selectFrom('document').select('id').where('id', '=', id).forUpdate().execute()
    begin()
    await held
  })
  await begun
  const first = client.put(`${model.url}/doc/${id}`, { doc: { title: 'again' } })
  await expectWaiting(pool, 1)
  const change = client.put(model.url, { data: { name: '新しい名前' } }).then((answer) => {
    order.push('change')
    return answer
  })
  await expectWaiting(pool, 2)
  const later = save('later').then((answer) => {
    order.push('later save')
    return answer
  })
  await expectWaiting(pool, 3)
  expect(order).toEqual([])
  letGo()
  await holder
  for (const answer of await Promise.all([first, change, later])) ok(answer)
  expect(order).toEqual(['change', 'later save'])
})
