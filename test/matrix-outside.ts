import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { People } from './matrix-fixture.ts'
import { startS3Server } from './s3-server/server.ts'
import { startInstallation, type TestInstallation } from './server.ts'

/** An installation with external services for the calls: a site with a file, and a bucket. */
export interface Surrounded {
  installation: TestInstallation
  fileUrl: string
  bucket: People['bucket']
  close(): Promise<void>
}

export async function startSurrounded(): Promise<Surrounded> {
  // The file can also be embedded: it links to its oEmbed description.
  const site = createServer(({ url }, response) => {
    if (url?.startsWith('/oembed'))
      response.end('{"type":"rich","html":"<iframe src=\\"https://player.example/1\\"></iframe>"}')
    else
      response
        .setHeader('content-type', 'text/plain')
        .setHeader('link', '</oembed>; rel="alternate"; type="application/json+oembed"')
        .end('hello')
  })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const server = await startS3Server()
  const installation = await startInstallation({
    IMORI_PRIVATE_STORAGES: server.location.endpoint,
    IMORI_IMPORT_ORIGINS: origin,
    IMORI_EMBED_ORIGINS: origin,
  })
  return {
    installation,
    fileUrl: `${origin}/a.txt`,
    bucket: { ...server.location, ...server.credentials },
    close: async () => {
      site.close()
      await server.close()
      await installation.close()
    },
  }
}
