import { z } from 'zod'
import { issueSchema } from '#shared/contract/common.ts'
import {
  bodySchema,
  type Endpoint,
  type MultipartBody,
  responseOf,
  streamBody,
  successStatus,
} from '#shared/contract/endpoint.ts'
import { errorStatus } from '#shared/errors.ts'

/** Converts a Zod schema to JSON Schema 2020-12, which OpenAPI 3.1 uses. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function queryParameters(query: z.ZodType): unknown[] {
  const schema = jsonSchema(query, 'input') as { properties?: Record<string, unknown>; required?: string[] }
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
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

const filesSchema = ({ files }: MultipartBody) => ({
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'array', minItems: 1, maxItems: files, items: bytes.schema } },
})

function requestContent(endpoint: Endpoint): Record<string, unknown> | null {
  const schema = bodySchema(endpoint)
  if (schema) return { 'application/json': { schema: jsonSchema(schema, 'input') } }
  const stream = streamBody(endpoint)
  if (stream?.kind === 'multipart') return { 'multipart/form-data': { schema: filesSchema(stream) } }
  return stream && Object.fromEntries(stream.types.map((type) => [type, bytes]))
}

function successResponse(endpoint: Endpoint): Record<string, unknown> {
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
    case 'redirect':
      return {
        description: 'See another address',
        headers: { location: { required: true, schema: { type: 'string' } } },
      }
    case 'none':
      return { description: 'Done' }
  }
}

function pathsOf(endpoints: Record<string, Endpoint>): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    const [method, path] = endpoint.route.split(' ') as [string, string]
    const open = endpoint.permission === 'public'
    const changes = method !== 'GET'
    const content = requestContent(endpoint)
    const operations = paths[path] ?? {}
    paths[path] = operations
    operations[method.toLowerCase()] = {
      operationId,
      summary: endpoint.summary,
      description: [
        ...(endpoint.description ? [endpoint.description] : []),
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
      security: open ? [] : [changes ? { session: [], csrf: [] } : { session: [] }],
      parameters: [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
          name,
          in: 'path',
          required: true,
          schema: { type: 'string' },
        })),
        ...(endpoint.query ? queryParameters(endpoint.query) : []),
        ...(endpoint.idempotent === true ? [idempotencyKey] : []),
      ],
      ...(content ? { requestBody: { required: true, content } } : {}),
      responses: {
        [successStatus[responseOf(endpoint).kind]]: successResponse(endpoint),
        default: { $ref: '#/components/responses/Error' },
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
      },
      responses: {
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
