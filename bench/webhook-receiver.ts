import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * A receiver of webhooks that prints its port. `/ok/…` accepts a request. `/received` returns, per path, the number of
 * accepted events and the longest time in ms between an event and its arrival, and the number of events that were older
 * than an earlier event of the same document and path. The other paths behave badly: `/hang/…` never responds,
 * `/fail/…` responds with 500, `/drip/…` sends one byte of its headers per second, and `/endless/…` sends a body
 * without end.
 */

const received = new Map<string, { events: number; longestMs: number }>()
const newest = new Map<string, number>()
let outOfOrder = 0

/** Writes to the connection, without end, until the sender closes it. */
function repeat(response: ServerResponse, everyMs: number, write: () => void): void {
  const timer = setInterval(write, everyMs)
  response.socket?.on('error', () => {}).on('close', () => clearInterval(timer))
}

const bad: Record<string, (response: ServerResponse) => void> = {
  hang: () => {},
  fail: (response) => void response.writeHead(500).end('no'),
  drip(response) {
    response.socket?.write('HTTP/1.1 200 OK\r\nx-drip: ')
    repeat(response, 1000, () => response.socket?.write('.'))
  },
  endless(response) {
    response.writeHead(200)
    repeat(response, 10, () => response.write(Buffer.alloc(1000)))
  },
}

const server = createServer((request, response) => {
  const { url = '' } = request
  if (url === '/received')
    return void response.end(JSON.stringify({ received: Object.fromEntries(received), outOfOrder }))
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const behave = bad[url.split('/')[1] ?? '']
    if (behave) return behave(response)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const now = Date.now()
    const known = received.get(url) ?? { events: 0, longestMs: 0 }
    for (const { _id, timestamp } of body.events ?? [body]) {
      const key = `${url} ${_id}`
      const at = Date.parse(timestamp)
      if (at < (newest.get(key) ?? 0)) outOfOrder++
      newest.set(key, at)
      known.events++
      known.longestMs = Math.max(known.longestMs, now - at)
    }
    received.set(url, known)
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
