import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createApp, createMember, createModel, createSpace } from '#test/factories.ts'
import { lengthOf } from '#test/full-length.ts'
import { findViolations } from '#test/invariants.ts'
import { type Client, ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
let client: Client
let space: { uid: string; url: string }
let app: { uid: string; url: string }
let docs: string

beforeAll(async () => {
  installation = await startInstallation()
  client = (await createAccount(installation)).client
  space = await createSpace(client)
  app = await createApp(client, space)
})
beforeEach(async () => {
  docs = `${(await createModel(client, app)).url}/doc`
})
afterAll(async () => {
  expect(await findViolations(installation.database)).toEqual([])
  await installation.close()
})

const key = (value: string) => ({ 'idempotency-key': value })
const total = async () => ok(await client.get(docs)).total

describe('a request with an Idempotency-Key', () => {
  it('creates one document if it is repeated after its connection was cut', async () => {
    await installation.server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = installation.server.server.address() as AddressInfo
    const body = JSON.stringify({ document: { title: '一度だけ' } })

    /** Sends the request over its own connection, and closes the connection at `moment`. */
    async function sendAndCut(name: string, moment: 'sent' | 'answered') {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      const head = [
        `POST ${docs} HTTP/1.1`,
        `host: 127.0.0.1:${port}`,
        `cookie: ${[...client.cookies].map((pair) => pair.join('=')).join('; ')}`,
        `x-csrf-token: ${client.csrfToken}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
        `idempotency-key: ${name}`,
      ]
      await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, resolve))
      if (moment === 'answered') await once(socket, 'data')
      socket.destroy()
    }

    for (let round = 0; round < lengthOf(10, 200); round++) {
      const name = `round-${round}`
      await sendAndCut(name, round % 2 ? 'sent' : 'answered')
      let answer = await client.post(docs, body, key(name))
      while (answer.status === 409) {
        expect([answer.body.code, answer.headers['retry-after']]).toEqual(['IdempotencyInProgress', '1'])
        answer = await client.post(docs, body, key(name))
      }
      expect(ok(answer).document.title).toBe('一度だけ')
      expect(await total()).toBe(round + 1)
    }
  })

  it('creates one document if it is sent 20 times concurrently', async () => {
    const send = () => client.post(docs, { document: { title: '同時' }, type: 'PUBLISH' }, key('storm'))
    const answers = await Promise.all(Array.from({ length: 20 }, send))
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect([answer.status, answer.body.code]).toEqual([409, 'IdempotencyInProgress'])
    const texts = new Set(
      [...answers, await send()].filter(({ status }) => status === 200).map(({ text }) => text),
    )
    expect(texts.size).toBe(1)
    expect(await total()).toBe(1)
  })

  it('creates one copy, even if it is repeated', async () => {
    const { document } = ok(await client.post(docs, { document: { title: '元' } }))
    const copy = () => client.put(`${docs}/${document._id}`, { doc: {}, type: 'DUPLICATE' }, key('copy'))
    expect((await copy()).text).toBe((await copy()).text)
    expect(await total()).toBe(2)
  })

  it('is rejected if the user has just used the key with another body', async () => {
    ok(await client.post(docs, { document: { title: 'a' } }, key('reused')))
    const answer = await client.post(docs, { document: { title: 'b' } }, key('reused'))
    expect([answer.status, answer.body.code]).toEqual([422, 'IdempotencyKeyReused'])
    expect(await total()).toBe(1)
  })

  it('does not use up the key if its document is invalid (400)', async () => {
    expect((await client.post(docs, { document: {} }, key('corrected'))).status).toBe(400)
    ok(await client.post(docs, { document: { title: 'a' } }, key('corrected')))
  })

  it('may have a key that another user has used, or that was used more than a day ago', async () => {
    const send = (who: Client) => who.post(docs, { document: { title: 'a' } }, key('mine'))
    const colleague = await createMember(installation, space, 'pjt-Admin')
    const { pool } = installation.database
    await pool.query('DELETE FROM idempotency') // a request deletes only some of the old keys
    const first = ok(await send(client)).document._id
    expect(ok(await send(colleague.client)).document._id).not.toBe(first)
    await pool.query(`UPDATE idempotency SET created_at = now() - interval '25 hours'`)
    expect(ok(await send(client)).document._id).not.toBe(first)
    const left = await pool.query(`SELECT 1 FROM idempotency WHERE created_at < now() - interval '24 hours'`)
    expect(left.rowCount).toBe(0)
  })

  it.each(['', 'ä', 'x'.repeat(256), 'two words'])('is rejected with the key %j', async (name) => {
    const answer = await client.post(docs, { document: { title: 'a' } }, key(name))
    expect([answer.status, answer.body.issues]).toEqual([
      400,
      [{ path: 'idempotency-key', code: 'InvalidFormat' }],
    ])
  })
})
