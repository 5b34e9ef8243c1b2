import { createReadStream, stat } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/* Baseline: a node:http server that only sends a file from the disk. It prints its port on stdout. */

const [file = ''] = process.argv.slice(2)
const server = createServer((_request, response) => {
  stat(file, (error, found) => {
    if (error) return response.writeHead(500).end()
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': found.size })
    createReadStream(file).pipe(response)
  })
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
