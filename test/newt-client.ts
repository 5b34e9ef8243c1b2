import { createClient } from 'newt-client-js'
import type { TestInstallation } from './server.ts'

/**
 * Returns the unmodified client of Newt for published contents. Its requests go to the installation without a network.
 */
export const newtClientFor = (
  { server }: Pick<TestInstallation, 'server'>,
  { spaceUid, token }: { spaceUid: string; token: string },
) =>
  createClient({
    spaceUid,
    token,
    apiType: 'cdn',
    fetch: (async (url: string, init: { headers: Record<string, string> }) => {
      const { pathname, search } = new URL(url)
      const answer = await server.inject({ url: pathname + search, headers: init.headers })
      return new Response(answer.body, { status: answer.statusCode })
    }) as unknown as typeof fetch,
  })
