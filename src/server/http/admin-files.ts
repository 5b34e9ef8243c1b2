import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/**
 * Serves the built admin: hashed assets for a year, compressed at build time; `index.html` for every other path, so
 * that the admin's own router answers it. `folder` is `dist/admin`.
 */
export async function serveAdmin(server: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'index.html'))) {
    server.log.warn(`The admin is not built (${folder}): only the APIs are served`)
    return
  }
  const index = await readFile(join(folder, 'index.html'))
  await server.register(fastifyStatic, {
    root: folder,
    index: false,
    wildcard: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (response, path) => {
      const hashed = path.includes(`${join(folder, 'assets')}`)
      response.header(
        'cache-control',
        hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      )
    },
  })
  server.get('/*', (request, reply) => {
    // A missing script must not be answered with a page: the admin reloads itself when a chunk is gone.
    if (request.url.startsWith('/api/') || request.url.startsWith('/assets/')) return reply.callNotFound()
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(index)
  })
}
