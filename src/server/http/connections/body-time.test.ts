import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { allowSlowBody, limitBodyTime, limitRest } from './body-time.ts'
import { refuseConnections } from './client-errors.ts'

let server: Server
let socket: Socket
afterEach(async () => {
  vi.useRealTimers()
  socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/**
 * Starts a server with these limits that reads bodies to the end, and sends it the headers of a request with 1,000
 * bytes. The limits follow the fake clock, which only `send` advances.
 */
async function begin(times: { whole: number; window: number; bytes: number }, slow: boolean) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  let received = 0
  server = createServer((request, response) => {
    if (slow) allowSlowBody(request)
    request.on('data', (data) => {
      received += data.length
    })
    request.on('end', () => response.end('read'))
  })
  limitBodyTime(server, times)
  server.on('clientError', refuseConnections({}))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  const closed = once(socket, 'close')
  const arrived = once(server, 'request')
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n')
  const [request] = (await arrived) as [IncomingMessage]
  return {
    request,
    /** Sends a part of the body, waits until it has arrived, and lets `milliseconds` pass. */
    async send(bytes: number, milliseconds: number) {
      const expected = received + bytes
      socket.write('x'.repeat(bytes))
      // Not `expect.poll`, which would advance the fake clock.
      while (received < expected) await once(request, 'data')
      vi.advanceTimersByTime(milliseconds)
    },
    answer: () => closed.then(() => answer.split('\r\n')[0]),
  }
}

it('limitBodyTime sends 408 if a body takes longer than its time limit', async () => {
  const { send, answer } = await begin({ whole: 1_000, window: 10_000, bytes: 1 }, false)
  await send(500, 999)
  await send(10, 1)
  expect(await answer()).toBe('HTTP/1.1 408 Request Timeout')
})

it('limitBodyTime lets a slow upload take longer while it makes progress', async () => {
  const { send, answer } = await begin({ whole: 1_000, window: 2_000, bytes: 50 }, true)
  for (let part = 0; part < 20; part++) await send(50, 2_000)
  expect(await answer()).toBe('HTTP/1.1 200 OK')
})

it('limitRest ends a connection whose refused body continues', async () => {
  const { request, send, answer } = await begin({ whole: 1_000, window: 10_000, bytes: 1 }, true)
  await send(50, 2_000)
  limitRest(request)
  await send(50, 999)
  await send(50, 1)
  expect(await answer()).toBe('HTTP/1.1 408 Request Timeout')
})

it('limitBodyTime sends 408 if a slow upload makes too little progress', async () => {
  const { send, answer } = await begin({ whole: 10_000, window: 2_000, bytes: 50 }, true)
  await send(50, 2_000)
  await send(49, 2_000)
  expect(await answer()).toBe('HTTP/1.1 408 Request Timeout')
})
