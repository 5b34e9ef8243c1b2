import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { BillingPlans } from '#server/billing-plans.ts'
import { loadConfig, type Secrets } from '#server/config.ts'
import { type Database, openDatabase } from '#server/db/connection.ts'
import type { ServerDeps } from '#server/http/context.ts'
import { openServices } from '#server/open-services.ts'
import { buildServer } from '#server/server.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { statementTimeoutFactor } from './statement-patience.ts'

/** The real server with its own database. */
export interface TestInstallation {
  server: FastifyInstance
  deps: ServerDeps
  database: Database
  /** Connection for other processes. */
  connection: TestDatabase['connection']
  /** Returns a client with an empty cookie jar and its own IP address. */
  visitor(): Client
  /** Stops the server and removes the database. */
  close(): Promise<void>
}

export const testSecrets: Secrets = {
  sessionKey: 'only-for-tests-only-for-tests-only-for-tests',
  encryptionKeys: [Buffer.alloc(32, 'only for tests').toString('base64')],
}

/**
 * Builds the server as main.ts does, on a new database. `env`: settings (`IMORI_URL`, …). `plans`: billing
 * plans, by default the plan `community` without limits. Close the installation afterwards.
 */
export async function startInstallation(
  env: Record<string, string> = {},
  { plans }: { plans?: BillingPlans } = {},
): Promise<TestInstallation> {
  const testDatabase: TestDatabase = await createTestDatabase()
  const database = await openDatabase(testDatabase.connection, undefined, undefined, statementTimeoutFactor)
  const dataDir = await mkdtemp(join(tmpdir(), 'imori-data-'))
  const config = loadConfig({
    IMORI_LOG_LEVEL: 'silent',
    IMORI_DATA: dataDir,
    // Tests can sign up accounts without an invitation. Tests of sign-up override this.
    IMORI_SIGNUP: 'open',
    ...env,
  })
  const opened = openServices({
    config,
    secrets: testSecrets,
    database,
    ...(plans ? { plans } : {}),
  })
  const deps: ServerDeps = { services: opened.services, database }
  const server = await buildServer(deps)
  await server.ready()
  return {
    server,
    deps,
    database,
    connection: testDatabase.connection,
    visitor: () => new Client(server),
    close: async () => {
      await server.close()
      await opened.close()
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
      await testDatabase.drop()
    },
  }
}

export type Method = 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  /** The response as text, byte for byte. */
  text: string
  bytes: Buffer
  /** The response as JSON; undefined if it is not JSON. Untyped for tests. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on it instead of typing it
  body: any
}

let addresses = 0

/** A browser as the server sees it. It stores cookies and sends its session's CSRF token. */
export class Client {
  readonly cookies = new Map<string, string>()
  /** IP address of the client. Every client is in another network. */
  ip = `10.${(++addresses >> 8) & 255}.${addresses & 255}.7`
  csrfToken: string | null = null
  private readonly server: FastifyInstance

  constructor(server: FastifyInstance) {
    this.server = server
  }

  get = (url: string, headers?: Record<string, string>) => this.send('GET', url, undefined, headers)
  post = (url: string, body: unknown = {}, headers?: Record<string, string>) =>
    this.send('POST', url, body, headers)
  put = (url: string, body: unknown = {}, headers?: Record<string, string>) =>
    this.send('PUT', url, body, headers)
  patch = (url: string, body: unknown = {}, headers?: Record<string, string>) =>
    this.send('PATCH', url, body, headers)
  delete = (url: string, headers?: Record<string, string>) => this.send('DELETE', url, undefined, headers)

  /** Sends a request. Strings and bytes are sent unchanged, a form or blob as in a browser, anything else as JSON. */
  async send(
    method: Method,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    if (body instanceof FormData || body instanceof URLSearchParams || body instanceof Blob) {
      const encoded = new Response(body)
      const type = encoded.headers.get('content-type') ?? ''
      return this.send(method, url, Buffer.from(await encoded.arrayBuffer()), {
        'content-type': type,
        ...headers,
      })
    }
    if (method !== 'GET' && this.csrfToken === null && this.cookies.size > 0) await this.refreshCsrfToken()
    const response = await this.server.inject({
      method,
      url,
      remoteAddress: this.ip,
      headers: {
        ...(this.cookies.size > 0
          ? { cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') }
          : {}),
        ...(method !== 'GET' && this.csrfToken ? { 'x-csrf-token': this.csrfToken } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    })
    for (const cookie of response.cookies) {
      // Each session has its own CSRF token.
      this.csrfToken = null
      if (cookie.value === '') this.cookies.delete(cookie.name)
      else this.cookies.set(cookie.name, cookie.value)
    }
    let json: unknown
    try {
      json = JSON.parse(response.body)
    } catch {}
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      bytes: response.rawPayload,
      body: json,
    }
  }

  /** Fetches the CSRF token of the current session. */
  async refreshCsrfToken(): Promise<string | null> {
    this.csrfToken = (await this.get('/api/auth/csrfToken')).body.csrfToken
    return this.csrfToken
  }
}

/** Returns a multipart form with these files, each in a part named `file`. */
export function formOf(...files: { name: string; bytes: Uint8Array | string; type?: string }[]): FormData {
  const form = new FormData()
  for (const { name, bytes, type = '' } of files)
    form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer> | string], { type }), name)
  return form
}

/** Returns the body of a 200 response. Throws for any other response. */
export function ok(answer: Answer) {
  if (answer.status !== 200)
    throw new Error(`Expected 200, got ${answer.status}: ${answer.text.slice(0, 500)}`)
  return answer.body
}
