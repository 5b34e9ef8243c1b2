import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { allowSlowBody, limitBodyTime } from './body-time.ts'
import { refuseConnections } from './client-errors.ts'

let server: Server
let socket: Socket
afterEach(async () => {
  socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** Starts a server with these limits that reads bodies to the end, and a request that announces 1000 bytes. */
async function begin(times: { whole: number; window: number; bytes: number }, slow: boolean) {
  server = createServer((request, response) => {
    if (slow) allowSlowBody(request)
    request.resume().on('end', () => response.end('read'))
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
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n')
  return { answer: () => closed.then(() => answer.split('\r\n')[0]) }
}

/** Sends the rest in steps, with a delay of `every` milliseconds before each. */
async function trickle(steps: number, every: number): Promise<void> {
  for (let step = 0; step < steps && socket.writable; step++) {
    await new Promise((resolve) => setTimeout(resolve, every))
    socket.write('x'.repeat(1000 / steps))
  }
}

it('cuts off a body that takes too long', async () => {
  const { answer } = await begin({ whole: 100, window: 10_000, bytes: 1 }, false)
  expect(await answer()).toBe('HTTP/1.1 408 Request Timeout')
})

it('lets an upload take its time while it makes progress', async () => {
  const { answer } = await begin({ whole: 50, window: 1500, bytes: 50 }, true)
  void trickle(20, 100)
  expect(await answer()).toBe('HTTP/1.1 200 OK')
})

it('cuts off an upload that makes too little of it', async () => {
  const { answer } = await begin({ whole: 10_000, window: 200, bytes: 900 }, true)
  void trickle(20, 100)
  expect(await answer()).toBe('HTTP/1.1 408 Request Timeout')
})
