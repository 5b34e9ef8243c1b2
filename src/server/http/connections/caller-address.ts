import type { Server } from 'node:http'

/**
 * Makes the caller's IP address available until the request is answered. Node.js reads the address from the system when
 * it is first used, and caches it. If the client reset the connection before that, the audit log, limits per IP address
 * and allowed ranges would have no address. Connections that are already closed are destroyed.
 */
export function rememberAddresses(server: Server): void {
  server.prependListener('connection', (socket) => {
    if (socket.remoteAddress === undefined) socket.destroy()
  })
}
