import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '#server/config.ts'
import { createOutgoing, type Outgoing } from '#server/outgoing.ts'
import { testSecrets } from '#test/server.ts'
import { type Receiver, startReceiver } from '#test/webhooks.ts'
import { seal } from '../sealed.ts'
import { sendRequest } from './send-request.ts'

/* Single requests to a misbehaving receiver. The time limits differ from the default. */

let receiver: Receiver
let outgoing: Outgoing
beforeAll(async () => {
  receiver = await startReceiver()
  outgoing = createOutgoing(loadConfig({ IMORI_WEBHOOK_ORIGINS: receiver.origin }).outgoing)
})
afterAll(async () => {
  await outgoing.close()
  await receiver.close()
})

const id = 'b'.repeat(24)
const send = (path: string, timeoutMs: number) =>
  sendRequest(
    { outgoing, secrets: testSecrets },
    {
      id,
      url: receiver.origin + path,
      method: 'POST',
      headers: [],
      sealed: seal(testSecrets, id, { keys: [], values: new Map() }),
    },
    { id, event: 'test', body: '{}', timeoutMs },
  )

it('a request to a receiver that never responds times out', async () => {
  receiver.answers.set('/hanging', () => {})
  expect(await send('/hanging', 200)).toMatchObject({ status: null, reason: 'timeout', answer: null })
})

it('a request to a receiver that keeps sending headers times out', async () => {
  receiver.answers.set('/dripping', (_, response) => {
    const socket = response.socket
    socket?.write('HTTP/1.1 200 OK\r\n')
    const timer = setInterval(() => socket?.write('x-drip: 1\r\n'), 20)
    socket?.once('close', () => clearInterval(timer))
  })
  expect(await send('/dripping', 300)).toMatchObject({ status: null, reason: 'timeout' })
})

it('a response that never ends counts as accepted after status 202, and as failed after status 500', async () => {
  for (const [path, status] of [
    ['/endless', 202],
    ['/endless-error', 500],
  ] as const)
    receiver.answers.set(path, (_, response) => {
      response.writeHead(status).write('thank you')
    })
  const answered = async (path: string, timeoutMs = 500): ReturnType<typeof send> => {
    const result = await send(path, timeoutMs)
    return result.status === null ? answered(path, timeoutMs * 2) : result
  }
  const [accepted, refused] = await Promise.all([answered('/endless'), answered('/endless-error')])
  expect(accepted).toMatchObject({ status: 202, reason: null, answer: 'thank you' })
  expect(refused).toMatchObject({ status: 500, reason: 'status', answer: 'thank you' })
})

it('sendRequest returns only the first 4096 bytes of a long response', async () => {
  receiver.answers.set('/long', (_, response) => {
    const more = () => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', more)
    }
    more()
  })
  const { status, reason, answer } = await send('/long', 60_000)
  expect([status, reason, answer?.length]).toEqual([200, null, 4096])
})

it('an undecodable response counts as accepted after status 201, and as failed after status 500', async () => {
  for (const [path, status] of [
    ['/encoded', 201],
    ['/encoded-error', 500],
  ] as const)
    receiver.answers.set(path, (_, response) => {
      response.writeHead(status, { 'content-encoding': 'zstd' }).end('whatever')
    })
  expect(await send('/encoded', 60_000)).toMatchObject({ status: 201, reason: null, answer: null })
  expect(await send('/encoded-error', 60_000)).toMatchObject({ status: 500, reason: 'status', answer: null })
})

it.each([
  ['JSON', (text: string) => JSON.stringify({ text })],
  ['JSON of PHP', (text: string) => JSON.stringify({ text }).replaceAll('/', '\\/')],
  ['a URL', (text: string) => `/?text=${encodeURIComponent(text)}`],
  ['a form', (text: string) => new URLSearchParams({ text }).toString()],
  ['base64', (text: string) => Buffer.from(text).toString('base64')],
  ['HTML', (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
])('sendRequest masks a secret that the response repeats in %s', async (_, print) => {
  const secret = 'Bearer a/b+c "quoted" <&> \\ pass-word'
  receiver.answers.set('/repeating', (_, response) => response.end(print(secret)))
  const { answer } = await sendRequest(
    { outgoing, secrets: testSecrets },
    {
      id,
      url: `${receiver.origin}/repeating`,
      method: 'POST',
      headers: [{ name: 'x-key', value: null }],
      sealed: seal(testSecrets, id, { keys: [], values: new Map([['x-key', secret]]) }),
    },
    { id, event: 'test', body: '{}', timeoutMs: 60_000 },
  )
  expect(answer).not.toContain('quoted')
})

it('sendRequest masks the beginning of a secret at the end of an interrupted response', async () => {
  const secret = 'token-abcdefghijklmnop'
  receiver.answers.set('/cut', (_, response) => {
    response.writeHead(200).write(`x-key: ${secret.slice(0, -1)}`)
  })
  const { answer } = await sendRequest(
    { outgoing, secrets: testSecrets },
    {
      id,
      url: `${receiver.origin}/cut`,
      method: 'POST',
      headers: [{ name: 'x-key', value: null }],
      sealed: seal(testSecrets, id, { keys: [], values: new Map([['x-key', secret]]) }),
    },
    { id, event: 'test', body: '{}', timeoutMs: 60_000 },
  )
  expect(answer).toBe('x-key: ••••••')
})

it('sendRequest masks a secret in the response, even if the size limit cuts the secret', async () => {
  const secret = 'secret-'.repeat(50)
  receiver.answers.set('/repeating', (_, response) => response.end(`${secret} `.repeat(100)))
  const values = new Map([['x-key', secret]])
  const { status, answer } = await sendRequest(
    { outgoing, secrets: testSecrets },
    {
      id,
      url: `${receiver.origin}/repeating`,
      method: 'POST',
      headers: [{ name: 'x-key', value: null }],
      sealed: seal(testSecrets, id, { keys: [], values }),
    },
    { id, event: 'test', body: '{}', timeoutMs: 60_000 },
  )
  expect([status, answer]).toEqual([200, expect.stringContaining('••••••')])
  expect(answer).not.toContain('secret')
})
