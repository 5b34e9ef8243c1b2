import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { startS3Server } from '../test/s3-server/server.ts'
import { close } from './measuring.ts'
import { type MediaServer, startMediaServer } from './media-server.ts'

/* Measures the memory of a server for ten concurrent uploads of 20 MB, for each way of uploading. */

const files = 10
const megabyte = 1024 * 1024
const size = 20 * megabyte
/** Maximum memory per file in MB. */
const target = 5

let isMet = true

/**
 * Sends `before`, `size` bytes and `after` as fast as the server accepts them. The bytes differ from other uploads.
 * Returns the body of the response. Throws an error for a status of 300 or more.
 */
async function sendBytes(
  url: string,
  {
    method,
    headers,
    before = '',
    after = '',
  }: { method: string; headers: Record<string, string>; before?: string; after?: string },
): Promise<string> {
  const length = before.length + size + after.length
  const sending = request(url, { method, headers: { ...headers, 'content-length': String(length) } })
  const answered = once(sending, 'response')
  sending.write(before)
  for (let sent = 0; sent < size; sent += megabyte)
    if (!sending.write(Buffer.alloc(megabyte, Math.random().toString(36)))) await once(sending, 'drain')
  sending.end(after)
  const [response] = await answered
  let text = ''
  for await (const chunk of response) text += chunk
  if (response.statusCode >= 300) throw new Error(`${url}: ${response.statusCode} ${text}`)
  return text
}

async function multipart({ origin, headers }: MediaServer): Promise<void> {
  const text = await sendBytes(`${origin}/api/project/bench/assets`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
    before: '--b\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n',
    after: '\r\n--b--\r\n',
  })
  if (!text.includes('"success":true')) throw new Error(text)
}

async function signed({ origin, headers }: MediaServer): Promise<void> {
  const query = new URLSearchParams({ fileName: 'large.bin', fileType: 'text/plain', fileSize: String(size) })
  const assets = `${origin}/api/project/bench/assets`
  const ticket = (await (await fetch(`${assets}/signedUrl?${query}`, { headers })).json()) as {
    _id: string
    url: string
    headers: Record<string, string>
    token: string
  }
  await sendBytes(new URL(ticket.url, origin).href, { method: 'PUT', headers: ticket.headers })
  const answer = await fetch(`${assets}/${ticket._id}/signedUrl`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { token: ticket.token } }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

const memory = ({ pid }: MediaServer, what: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

async function measure(
  name: string,
  env: Record<string, string>,
  send: (server: MediaServer) => Promise<void>,
) {
  const server = await startMediaServer(env)
  try {
    // This excludes loading and compilation, which only the first uploads need.
    for (let warm = 0; warm < 3; warm++) await send(server)
    const before = memory(server, 'VmHWM')
    const begun = performance.now()
    await Promise.all(Array.from({ length: files }, () => send(server)))
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    const more = memory(server, 'VmHWM') - before
    const met = more / files <= target
    isMet &&= met
    console.log(
      `| ${name} | ${Math.round(before)} MB | ${Math.round(more)} MB | ${(more / files).toFixed(1)} MB | ${seconds} s |${met ? '' : ' MISSED'}`,
    )
  } finally {
    await server.close()
  }
}

const s3 = await startS3Server()
const bucket = {
  IMORI_S3_BUCKET: s3.location.bucket,
  IMORI_S3_REGION: s3.location.region,
  IMORI_S3_ENDPOINT: s3.location.endpoint,
  IMORI_S3_ACCESS_KEY_ID: s3.credentials.accessKeyId,
  IMORI_S3_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  IMORI_S3_STYLE: 'path',
}
try {
  console.log(`${files} uploads of ${size / megabyte} MB at once: the most memory the server ever had`)
  console.log('| way | before | more | for each | took |\n|---|---|---|---|---|')
  await measure('multipart, to the disk', {}, multipart)
  await measure('multipart, to a bucket', bucket, multipart)
  await measure('signed, to the disk', {}, signed)
  await measure('signed, to a bucket', bucket, signed)
} finally {
  await s3.close()
  await close()
}
if (!isMet) process.exitCode = 1
