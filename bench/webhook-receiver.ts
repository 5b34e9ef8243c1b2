import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * A receiver of webhooks that prints its port. `/ok/…` accepts a request, `/hang/…` never responds. `/told` returns the
 * number of accepted events per path, and the number of those events that were older than an earlier event of the same
 * document and path.
 */

const told = new Map<string, number>()
const newest = new Map<string, number>()
let outOfOrder = 0

const server = createServer((request, response) => {
  const { url = '' } = request
  if (url === '/told')
    return void response.end(JSON.stringify({ told: Object.fromEntries(told), outOfOrder }))
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (url.startsWith('/hang')) return
    const body = JSON.parse(Buffer.concat(chunks).toString())
    for (const { _id, timestamp } of body.events ?? [body]) {
      const key = `${url} ${_id}`
      const at = Date.parse(timestamp)
      if (at < (newest.get(key) ?? 0)) outOfOrder++
      newest.set(key, at)
      told.set(url, (told.get(url) ?? 0) + 1)
    }
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
