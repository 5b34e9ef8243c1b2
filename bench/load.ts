import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/*
 * A load generator: plain sockets with keep-alive that send the next request as soon as the response is complete. It
 * reads only the status and length of a response, so that it costs far less than the server.
 *
 *   node --import tsx bench/load.ts <port> <file> <connections> <seconds>
 *
 * The file contains a JSON array of complete requests, which are sent in turn. `00000000` in a request becomes a unique
 * number. The output is one line of JSON:
 *
 * - `requests`: number of responses in the measured time
 * - `seconds`: length of the measured time
 * - `all`: number of responses including the warm-up
 * - `p95`, `p99`: percentiles of the response time in ms
 */

const [port = '', file = '', connections = '32', seconds = '5'] = process.argv.slice(2)
const requests: string[] = JSON.parse(readFileSync(file, 'utf8'))
const isNumbered = requests.some((request) => request.includes('00000000'))
const ready = requests.map((request) => Buffer.from(request))

let sent = 0
let answered = 0
let all = 0
let counting = false
/** Time in ms of every counted response. */
const times: number[] = []

function next(): Buffer {
  const number = sent++
  const request = ready[number % ready.length] ?? Buffer.alloc(0)
  if (!isNumbered) return request
  const digits = String((Date.now() % 1e4) * 1e4 + (number % 1e4)).padStart(8, '0')
  return Buffer.from(request.toString().replace('00000000', digits))
}

function open(): void {
  const socket = connect(Number(port), '127.0.0.1')
  socket.setNoDelay(true)
  let left = 0
  let asked = 0
  const ask = () => {
    asked = performance.now()
    socket.write(next())
  }
  socket.on('connect', ask)
  socket.on('error', fail)
  socket.on('data', (chunk) => {
    if (left === 0) {
      // The response must begin with "HTTP/1.1 200". Its header contains the length.
      if (chunk.toString('latin1', 9, 12) !== '200') fail(new Error(chunk.toString('utf8', 0, 600)))
      left = lengthOf(chunk)
    }
    left -= chunk.length
    if (left > 0) return
    if (left < 0) fail(new Error('an answer longer than it said'))
    all++
    if (counting) {
      answered++
      times.push(performance.now() - asked)
    }
    ask()
  })
}

function lengthOf(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(chunk.toString('latin1', 0, end))?.[1]
  if (end < 0 || !length) fail(new Error('an answer without Content-Length'))
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
    const passed = (performance.now() - started) / 1000
    times.sort((a, b) => a - b)
    const percentile = (share: number) => times[Math.floor(times.length * share)]
    const result = { requests: answered, seconds: passed, all, p95: percentile(0.95), p99: percentile(0.99) }
    console.log(JSON.stringify(result))
    process.exit(0)
  }, Number(seconds) * 1000)
}, 1500) // Time in ms for compilation and caches to warm up.
