import { request } from 'node:http'
import { createServer, globalAgent } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeCertificate } from '../test/conformance/certificate.ts'

/** HTTPS in front of a server, as a reverse proxy provides it. */
export interface HttpsFront {
  /** Host and port, such as `localhost:12345`. */
  host: string
  stop(): Promise<void>
}

/**
 * Terminates TLS on a free port of localhost and forwards requests to `target`. The global HTTPS agent of this process
 * trusts the certificate until the front is stopped, so that clients of `node:https` need no setting.
 */
export async function startHttpsFront(target: string): Promise<HttpsFront> {
  const certificate = makeCertificate(['localhost'])
  const server = createServer(certificate, (incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const before = globalAgent.options.ca
  globalAgent.options.ca = certificate.cert
  return {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    stop: () => {
      globalAgent.options.ca = before
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}
