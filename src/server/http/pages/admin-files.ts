import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** Returns whether a path names a file. Paths of the admin's router have no dot in their last segment. */
const isFile = (path: string) => /\.\w+$/.test(path)

/**
 * Serves the built admin in `folder` (`dist/admin`). Hashed assets are cacheable for a year and compressed at build
 * time. Paths of the admin's router return `index.html`. It is read for each such request, so that a new build is
 * served without a restart. Its last version is kept in memory, for the moment when a new build replaces the file.
 */
export async function serveAdmin(server: FastifyInstance, folder: string): Promise<void> {
  const assets = join(folder, 'assets') + sep
  let page: Buffer | undefined
  const readPage = async () => {
    page = await readFile(join(folder, 'index.html')).catch(() => page)
    return page
  }
  if (!(await readPage()))
    server.log.warn(`The admin is not built (${folder}): only the APIs are served until it is`)

  await server.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (response, path) => {
      const hashed = path.startsWith(assets)
      response.header(
        'cache-control',
        hashed ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      )
    },
  })
  server.get<{ Params: { '*': string } }>('/*', async (request, reply) => {
    const path = request.params['*']
    // Programs would take a page for success.
    if (/^(?:api|scim)\//.test(path)) return reply.callNotFound()
    // A missing script must not be answered with a page: the admin reloads itself if a chunk is missing.
    if (isFile(path) || path.startsWith('assets/')) return reply.sendFile(path)
    const found = await readPage()
    if (!found) return reply.callNotFound()
    return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(found)
  })
}
