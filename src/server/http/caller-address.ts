import type { Server } from 'node:http'

/**
 * Makes the caller's address available until the request is answered. Node.js asks the system for the address when it is
 * first read, and caches it. If the client reset the connection before that, the audit log, limits per address and allowed
 * ranges would have no address. Connections that are already gone are destroyed.
 */
export function rememberAddresses(server: Server): void {
  server.prependListener('connection', (socket) => {
    if (socket.remoteAddress === undefined) socket.destroy()
  })
}
