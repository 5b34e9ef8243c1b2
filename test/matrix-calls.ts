import { type Endpoint, formBody, readsCookies, streamBody } from '#shared/contract/endpoint.ts'
import { type Endpoints, endpoints } from '#shared/contract/index.ts'
import { isAppRight, isSpaceRight } from '#shared/permissions.ts'
import { bodies, type Fixture, pathOf } from './matrix-fixture.ts'
import type { Answer, Client, Method } from './server.ts'

export type NamedEndpoint = [name: string, endpoint: Endpoint]
export const everyEndpoint = Object.entries(endpoints) as NamedEndpoint[]
/** Endpoints that only members of a space may call. */
export const inSpaces = everyEndpoint.filter(
  ([, endpoint]) =>
    (isSpaceRight(endpoint.permission) || isAppRight(endpoint.permission)) && readsCookies(endpoint),
)
export const methodOf = ({ route }: Endpoint) => route.split(' ')[0] as Method

/**
 * Calls an endpoint of a fixture with an empty body or a file, because the permission is checked before the body is
 * read. `account`: the caller's id, for endpoints of the caller's own account.
 */
export function callEmpty(
  client: Client,
  [name, endpoint]: NamedEndpoint,
  fixture: Fixture,
  headers?: Record<string, string>,
  account = '0'.repeat(24),
): Promise<Answer> {
  return client.send(
    methodOf(endpoint),
    pathOf(endpoint.route, fixture, account),
    bodyOf(name, endpoint, fixture),
    headers,
  )
}

/**
 * Returns the body of a call. Files and forms need their media type, because the edge refuses others before the
 * permission check. Other bodies may be empty.
 */
function bodyOf(name: string, endpoint: Endpoint, fixture: Fixture): unknown {
  if (['GET', 'HEAD'].includes(methodOf(endpoint))) return undefined
  return streamBody(endpoint) || formBody(endpoint) ? bodies[name as keyof Endpoints]?.(fixture, null) : {}
}
