import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { Client, Method, TestInstallation } from './server.ts'

/** A response as the thread received it. `text`: its beginning. */
export interface OutsideAnswer {
  status: number
  bytes: number
  text: string
}

/** Sends the requests of a client over the network. */
export interface OutsideClient {
  /** Sends a request with the session of the client. `body`: JSON text. */
  send(method: Method, url: string, body?: string, headers?: Record<string, string>): Promise<OutsideAnswer>
  close(): Promise<void>
}

interface Waiting {
  resolve(answer: OutsideAnswer): void
  reject(error: Error): void
}

/** The thread is JavaScript, because threads of Node 20 do not run TypeScript. */
const thread = `
  const { parentPort } = require('node:worker_threads')
  parentPort.on('message', async ({ id, url, request }) => {
    try {
      const response = await fetch(url, request)
      let bytes = 0
      let text = ''
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length
        if (text.length < 4_000) text += decoder.decode(chunk, { stream: true }).slice(0, 4_000)
      }
      parentPort.postMessage({ id, answer: { status: response.status, bytes, text } })
    } catch (error) {
      parentPort.postMessage({ id, error: String(error.cause ?? error) })
    }
  })`

/**
 * Opens the server on a port, and a thread that sends requests and reads the responses. The work of the client then
 * does not count as time for which the server blocks the event loop (loop-delay.ts).
 */
export async function openOutsideClient(
  { server }: TestInstallation,
  client: Client,
): Promise<OutsideClient> {
  await server.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  const origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  await client.refreshCsrfToken()
  const worker = new Worker(thread, { eval: true })
  const waiting = new Map<number, Waiting>()
  let last = 0
  worker.on('message', ({ id, answer, error }) => {
    if (answer) waiting.get(id)?.resolve(answer)
    else waiting.get(id)?.reject(new Error(error))
    waiting.delete(id)
  })
  return {
    send(method, url, body, headers = {}) {
      const id = ++last
      const session = {
        cookie: [...client.cookies].map((pair) => pair.join('=')).join('; '),
        ...(client.csrfToken ? { 'x-csrf-token': client.csrfToken } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const request = { method, headers: { ...session, ...headers }, body }
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, url: origin + url, request })
      })
    },
    close: async () => {
      await worker.terminate()
    },
  }
}
