import { connect } from 'node:net'

/*
 * A load generator for one URL: plain sockets with keep-alive, a request as soon as the answer before it is whole.
 * It knows answers by their length, which is the same every time, so that it costs far less than the server.
 *
 *   node --import tsx bench/load.ts <port> <path> <token> <connections> <seconds>   →  {"requests": n, "seconds": s}
 */

const [port = '', path = '', token = '', connections = '64', seconds = '5'] = process.argv.slice(2)
const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`

let answerLength = 0
let requests = 0
let counting = false

function open(): void {
  const socket = connect(Number(port), '127.0.0.1')
  socket.setNoDelay(true)
  let received = 0
  socket.on('connect', () => socket.write(request))
  socket.on('error', fail)
  socket.on('data', (chunk) => {
    if (received === 0) {
      // "HTTP/1.1 200" and the length: anything else is no answer worth counting.
      if (chunk.toString('latin1', 9, 12) !== '200') fail(new Error(chunk.toString('utf8', 0, 300)))
      answerLength ||= lengthOf(chunk)
    }
    received += chunk.length
    if (received < answerLength) return
    if (received > answerLength) fail(new Error(`an answer of ${received} bytes instead of ${answerLength}`))
    received = 0
    if (counting) requests++
    socket.write(request)
  })
}

function lengthOf(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(chunk.toString('latin1', 0, end))?.[1]
  if (end < 0 || !length) throw new Error('an answer without Content-Length')
  return end + 4 + Number(length)
}

function fail(error: Error): never {
  console.error(error.message)
  process.exit(1)
}

for (let index = 0; index < Number(connections); index++) open()
setTimeout(() => {
  counting = true
  const started = performance.now()
  setTimeout(() => {
    console.log(JSON.stringify({ requests, seconds: (performance.now() - started) / 1000 }))
    process.exit(0)
  }, Number(seconds) * 1000)
}, 1500) // compiling and caches warm up first
