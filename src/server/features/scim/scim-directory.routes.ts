import type { SpaceContext } from '#server/access/context.ts'
import { UnreadableBody } from '#server/http/bodies/validation.ts'
import { implement } from '#server/http/endpoints.ts'
import type { ErrorMessage, HttpOperation, Protocol } from '#server/http/http-operation.ts'
import type { Message, Method } from '#shared/contract/endpoint.ts'
import { scimDirectoryEndpoints } from '#shared/contract/scim-directory.ts'
import { AppError } from '#shared/errors.ts'
import { directoryCaller } from './directory-caller.ts'
import { type Call, documentCalls, groupCalls, userCalls } from './protocol/calls.ts'
import { type Query, readQuery, readSearchBody } from './protocol/lists.ts'
import type { Values } from './protocol/patch.ts'
import { refused, ScimError } from './protocol/scim-error.ts'

const mediaType = 'application/scim+json'

const scim: Protocol = {
  recognise({ authorization = '', origin }) {
    const [, token] = /^Bearer +([\x21-\x7e]{1,200}) *$/i.exec(authorization) ?? []
    if (token === undefined) throw new AppError('Unauthorized')
    return directoryCaller(token, origin)
  },
  presentError,
}

interface Input {
  params: { p: string; id?: string }
  query?: Values | undefined
  headers?: { 'if-match'?: string | undefined; 'if-none-match'?: string | undefined } | undefined
  body?: Values | undefined
}

/** Returns a handler that passes its input to a call of the protocol. */
const handling =
  <R>(call: (call: Call) => R, read: (input: Input) => Query = ({ query = {} }) => readQuery(query)) =>
  (ctx: SpaceContext, input: Input): R => {
    const { params, headers = {}, body = {} } = input
    return call({
      ctx,
      id: params.id ?? '',
      query: read(input),
      body,
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      base: `${ctx.services.config.url}/scim/v2/${encodeURIComponent(params.p)}`,
    })
  }

const searching = ({ body = {} }: Input) => readSearchBody(body)

export const scimDirectoryRoutes = implement(
  scimDirectoryEndpoints,
  {
    listScimUsers: handling(userCalls.list),
    searchScimUsers: handling(userCalls.list, searching),
    createScimUser: handling(userCalls.create),
    getScimUser: handling(userCalls.read),
    replaceScimUser: handling(userCalls.replace),
    patchScimUser: handling(userCalls.patch),
    deleteScimUser: handling(userCalls.remove),
    listScimGroups: handling(groupCalls.list),
    searchScimGroups: handling(groupCalls.list, searching),
    createScimGroup: handling(groupCalls.create),
    getScimGroup: handling(groupCalls.read),
    replaceScimGroup: handling(groupCalls.replace),
    patchScimGroup: handling(groupCalls.patch),
    deleteScimGroup: handling(groupCalls.remove),
    getScimConfig: handling(documentCalls.config),
    listScimResourceTypes: handling(documentCalls.resourceTypes),
    getScimResourceType: handling(documentCalls.resourceType),
    listScimSchemas: handling(documentCalls.schemas),
    getScimSchema: handling(documentCalls.schema),
  },
  scim,
)

/**
 * The paths of the protocol that the contract does not list. `GET /Me` and `POST /Bulk` respond with 501, all others
 * with 404, to directories with a valid token.
 */
export const scimFallbacks: HttpOperation[] = [
  fallback('GET', '/Me', 501, 'This is not supported'),
  fallback('POST', '/Bulk', 501, 'This is not supported'),
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
    fallback(method, '/*', 404, 'There is no such resource'),
  ),
]

function fallback(method: Method, path: string, status: number, detail: string): HttpOperation {
  const { permission, caller, rate, response } = scimDirectoryEndpoints.getScimConfig
  return {
    name: `scim${method}${path}`,
    endpoint: {
      route: `${method} /scim/v2/{p}${path}`,
      summary: detail,
      permission,
      caller,
      rate,
      response,
    },
    handle(): Message {
      throw new ScimError(status, detail)
    },
    protocol: scim,
  }
}

/** Presents an error in the format of RFC 7644 §3.12. */
function presentError(error: unknown, known: AppError): ErrorMessage {
  const { status, headers, scimType, message } = error instanceof ScimError ? error : toScimError(known)
  return {
    status,
    headers,
    type: mediaType,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType ? { scimType } : {}),
      detail: message,
    },
  }
}

function toScimError(error: AppError): ScimError {
  const { code, status, message, issues, headers = {} } = error
  if (error instanceof UnreadableBody) return refused('invalidSyntax', message)
  const paths = (issues ?? []).map(({ path }) => path).join(', ')
  if (code === 'EmailIsAlreadyInUse')
    return new ScimError(409, `${paths} is in use`, { scimType: 'uniqueness' })
  if (code === 'OtherAdminMembersNotExist')
    return new ScimError(409, 'The last admin of the space stays a member', { scimType: 'mutability' })
  if (code === 'SsoExemptAdminIsNeeded')
    return new ScimError(409, 'The admin who comes in without SSO stays a member while SSO is required', {
      scimType: 'mutability',
    })
  if (code === 'ValidationFailed')
    return new ScimError(400, paths ? `${paths} has a value that is not allowed` : message, {
      scimType: 'invalidValue',
    })
  if (code === 'Unauthorized')
    return new ScimError(401, 'The token is not valid here', { headers: { 'www-authenticate': 'Bearer' } })
  return new ScimError(status, message, { headers })
}
