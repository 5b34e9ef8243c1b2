import { z } from 'zod'
import { issueSchema } from '#shared/contract/common.ts'
import {
  anyFormBody,
  bodySchema,
  type Endpoint,
  formBody,
  isSafe,
  jsonObjectBody,
  type MultipartBody,
  responseOf,
  streamBody,
  successStatuses,
} from '#shared/contract/endpoint.ts'
import { errorStatus } from '#shared/errors.ts'

/** Converts a Zod schema to JSON Schema 2020-12, which OpenAPI 3.1 uses. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function parametersIn(place: 'query' | 'header', of: z.ZodType) {
  const schema = jsonSchema(of, 'input') as { properties?: Record<string, unknown>; required?: string[] }
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }))
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Sent again with the same key within 24 hours, the request has no second effect',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const bytes = { schema: { type: 'string', format: 'binary' } }

function partsSchema({ files, fields }: MultipartBody): Record<string, unknown> {
  const file = { type: 'array', minItems: 1, maxItems: files, items: bytes.schema }
  if (!fields) return { type: 'object', required: ['file'], properties: { file } }
  const { properties = {}, ...rest } = jsonSchema(fields.schema, 'input') as { properties?: object }
  return { ...rest, properties: { ...properties, ...(files > 0 ? { file: { ...file, minItems: 0 } } : {}) } }
}

/** Headers that OpenAPI describes elsewhere, or that every HTTP client sends itself. */
const impliedHeaders = new Set([
  'accept',
  'authorization',
  'content-type',
  'content-length',
  'origin',
  'referer',
])

const headerParameters = ({ headers }: Endpoint) =>
  headers ? parametersIn('header', headers).filter(({ name }) => !impliedHeaders.has(name)) : []

/** Describes the limits of requests in one sentence. */
function rateSentence({ rate }: Endpoint): string[] {
  const limits = Object.entries(rate ?? {}).map(([per, count]) => `${count} per ${per}`)
  return limits.length > 0
    ? [`Requests a minute: at most ${limits.join(', ')}, then 429 with \`Retry-After\``]
    : []
}

const anyObject = { schema: { type: 'object' } }
/** The encodings of a form whose fields the contract does not name. */
const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json']

function requestContent(endpoint: Endpoint): Record<string, unknown> | null {
  const schema = bodySchema(endpoint)
  if (schema) return { 'application/json': { schema: jsonSchema(schema, 'input') } }
  const form = formBody(endpoint)
  if (form) return { 'application/x-www-form-urlencoded': { schema: jsonSchema(form.schema, 'input') } }
  const object = jsonObjectBody(endpoint)
  if (object) return Object.fromEntries(object.types.map((type) => [type, { schema: { type: 'object' } }]))
  if (anyFormBody(endpoint)) return Object.fromEntries(formTypes.map((type) => [type, anyObject]))
  const stream = streamBody(endpoint)
  if (stream?.kind === 'multipart') return { 'multipart/form-data': { schema: partsSchema(stream) } }
  return stream && Object.fromEntries(stream.types.map((type) => [type === '*' ? '*/*' : type, bytes]))
}

function successResponse(endpoint: Endpoint, status: number): Record<string, unknown> {
  const response = responseOf(endpoint)
  switch (response.kind) {
    case 'json':
      return {
        description: 'OK',
        content: { 'application/json': { schema: jsonSchema(response.schema, 'output') } },
      }
    case 'stream':
      return { description: 'OK', content: { [response.type]: bytes } }
    case 'file':
      return { description: 'The file', content: { 'application/octet-stream': bytes } }
    case 'text':
      return { description: 'OK', content: { [response.type]: { schema: { type: 'string' } } } }
    case 'redirect':
      return {
        description: 'See another address',
        headers: { location: { required: true, schema: { type: 'string' } } },
      }
    case 'message':
      if (status === 204 || status === 304) return { description: 'No content' }
      if (status === 303) return { description: 'See another address' }
      return {
        description: 'OK',
        content: {
          [response.type]: { schema: { type: response.type.includes('json') ? 'object' : 'string' } },
        },
      }
    case 'none':
      return {
        description: 'Done',
        ...(response.headers ? { headers: headersOf(jsonSchema(response.headers, 'output')) } : {}),
      }
  }
}

function securityOf(endpoint: Endpoint): Record<string, never[]>[] {
  if (endpoint.permission === 'public') return []
  if (endpoint.caller === 'directory') return [{ directory: [] }]
  const { programs } = endpoint
  return [
    isSafe(endpoint) ? { session: [] } : { session: [], csrf: [] },
    ...(programs ? [{ [programs]: [] }] : []),
  ]
}

const headersOf = ({ properties = {}, required = [] }: { properties?: object; required?: string[] }) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { required: required.includes(name), schema }]),
  )

function pathsOf(endpoints: Record<string, Endpoint>): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    const [method, path] = endpoint.route.split(' ') as [string, string]
    const isDirectory = endpoint.caller === 'directory'
    const content = requestContent(endpoint)
    const operations = paths[path] ?? {}
    paths[path] = operations
    operations[method.toLowerCase()] = {
      operationId,
      summary: endpoint.summary,
      description: [
        ...(endpoint.description ? [endpoint.description] : []),
        ...rateSentence(endpoint),
        `Permission: ${[endpoint.permission, ...(endpoint.also ?? [])].map((right) => `\`${right}\``).join(', ')}`,
      ].join('\n\n'),
      tags: [
        path.split('/')[2] === 'project'
          ? (path
              .match(/\/(app|model|doc|cdnToken|apiToken|member|role|job|assets?|tags|assetFolders)\b/g)
              ?.at(-1)
              ?.slice(1) ?? 'project')
          : path.split('/')[2],
      ],
      security: securityOf(endpoint),
      parameters: [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
          name,
          in: 'path',
          required: true,
          schema: { type: 'string' },
        })),
        ...(endpoint.query ? parametersIn('query', endpoint.query) : []),
        ...headerParameters(endpoint),
        ...(endpoint.idempotent === true ? [idempotencyKey] : []),
      ],
      ...(content ? { requestBody: { required: true, content } } : {}),
      responses: {
        ...Object.fromEntries(
          successStatuses(endpoint).map((status) => [status, successResponse(endpoint, status)]),
        ),
        default: { $ref: `#/components/responses/${isDirectory ? 'DirectoryError' : 'Error'}` },
      },
    }
  }
  return paths
}

/**
 * Returns the OpenAPI 3.1 document of these endpoints. The paths are built on first access, because building them would
 * slow down the start of the server.
 */
export function openApiDocument(
  endpoints: Record<string, Endpoint>,
  serverUrl: string,
): Record<string, unknown> {
  let paths: Record<string, unknown> | undefined
  return {
    openapi: '3.1.0',
    info: { title: 'Imori management API', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: serverUrl }],
    get paths() {
      paths ??= pathsOf(endpoints)
      return paths
    },
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'sid' },
        csrf: { type: 'apiKey', in: 'header', name: 'x-csrf-token' },
        directory: { type: 'http', scheme: 'bearer', description: 'The SCIM token of the space' },
        memberKey: { type: 'http', scheme: 'bearer', description: 'A key for a program that moves content' },
        apiToken: { type: 'http', scheme: 'bearer', description: 'An API token that can write' },
      },
      responses: {
        DirectoryError: {
          description: 'An error of RFC 7644 §3.12',
          content: {
            'application/scim+json': {
              schema: {
                type: 'object',
                required: ['schemas', 'status', 'detail'],
                properties: {
                  schemas: { type: 'array', items: { type: 'string' } },
                  status: { type: 'string' },
                  scimType: { type: 'string' },
                  detail: { type: 'string' },
                },
              },
            },
          },
        },
        Error: {
          description: 'What went wrong, by code',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['code', 'message'],
                properties: {
                  code: { type: 'string', enum: Object.keys(errorStatus) },
                  message: { type: 'string' },
                  issues: { type: 'array', items: jsonSchema(issueSchema, 'output') },
                },
              },
            },
          },
        },
      },
    },
  }
}
