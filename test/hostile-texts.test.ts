/** @module-tag full */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { bodySchema, type Endpoint } from '#shared/contract/endpoint.ts'
import { createAccount, type TestAccount } from './factories.ts'
import { everyEndpoint, methodOf } from './matrix-calls.ts'
import { bodies, type Fixture, giveIcon, invitePeople, makeFixture, pathOf } from './matrix-fixture.ts'
import { type Answer, startInstallation, type TestInstallation } from './server.ts'

/*
 * Sends texts that databases, XML and JavaScript handle badly to the text properties of the contract. The server must
 * accept each text, or refuse it with the path of the property, without an internal error.
 */

const nul = 'a\u0000b'
const half = 'a\ud800b'
const kept = ['a\ufffe\uffffb', 'e\u0301'.padEnd(20_000, '\u0301'), '__proto__', 'constructor']

let installation: TestInstallation
let owner: TestAccount
let fixture: Fixture
beforeAll(async () => {
  installation = await startInstallation()
  owner = await createAccount(installation, { isAdmin: true })
  await giveIcon(installation, owner)
  const people = await invitePeople(installation)
  fixture = await makeFixture(installation, { ...people, owner }, { asker: owner })
})
afterAll(() => installation?.close())

type JsonSchema = {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  additionalProperties?: JsonSchema | boolean
  enum?: unknown[]
  const?: unknown
  $ref?: string
  $defs?: Record<string, JsonSchema>
}
type Path = (string | number)[]

/** Returns the paths of a schema that may contain a text. Schemas nested deeper than six levels are left out. */
function places(schema: JsonSchema, defs: Record<string, JsonSchema>, path: Path = [], depth = 0): Path[] {
  if (depth > 6 || schema.enum || 'const' in schema) return []
  const inner = (one: JsonSchema, ...more: Path) => places(one, defs, [...path, ...more], depth + 1)
  const { properties = {}, items, additionalProperties: others, $ref } = schema
  const found = [
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((one) =>
      inner(one),
    ),
    ...Object.entries(properties).flatMap(([key, one]) => inner(one, key)),
    ...(items ? inner(items, 0) : []),
    ...(typeof others === 'object' ? inner(others, 'key') : []),
    ...($ref ? inner(defs[$ref.split('/').at(-1) ?? ''] ?? {}) : []),
  ]
  // A schema without a type accepts any value.
  const isText = schema.type === undefined ? found.length === 0 : [schema.type].flat().includes('string')
  return isText ? [path, ...found] : found
}

/** Returns a copy of the target with `value` at that path. */
function withValue(target: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') return [withValue(undefined, rest, value)]
  const record = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}
  return { ...record, [key]: withValue((record as Record<string, unknown>)[key], rest, value) }
}

const unique = (paths: Path[]) => [...new Map(paths.map((path) => [path.join('.'), path])).values()]
const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

const send = (endpoint: Endpoint, path: string, body?: unknown) =>
  owner.client.send(methodOf(endpoint), path, body)
const outcome = ({ status, body, text }: Answer) =>
  status < 500 ? 'fine' : `${status} ${body?.code ?? text.slice(0, 200)}`

/**
 * These calls report the problem of the text in a list or validation result, or ignore the text. None of them stores
 * it.
 */
const keepsNone = new Set([
  'forgotPassword',
  'createInvitation',
  'askForAccess',
  'validateDocument',
  'validateField',
  'bulkPublish',
  'bulkUnpublish',
  'bulkDelete',
  'bulkRestore',
  'updateSso',
  'beginSso',
])

/** Calls that would invalidate the test's own session or account. */
const ending = new Set(['deleteAccount', 'logout', 'logOutEverywhere'])
const withBody = everyEndpoint.filter(([name, endpoint]) => bodySchema(endpoint) && !ending.has(name))

it('hostile texts in request bodies cause no internal error, and validation failures list issues', async () => {
  const wrong: unknown[] = []
  let named = 0
  for (const [name, endpoint] of withBody) {
    const json = schemaOf(bodySchema(endpoint) as z.ZodType)
    const base = () => bodies[name as keyof typeof bodies]?.(fixture, owner) ?? {}
    const path = pathOf(endpoint.route, fixture, owner.id)
    const all = unique(places(json, json.$defs ?? {})).filter(({ length }) => length > 0)
    for (const place of all)
      for (const text of [nul, half]) {
        const answer = await send(endpoint, path, withValue(base(), place, text))
        const isRefused = answer.body?.code === 'ValidationFailed'
        if (isRefused && answer.body.issues?.length > 0) named++
        const isKept = text === nul && answer.status < 300 && !keepsNone.has(name)
        if (outcome(answer) !== 'fine' || isKept || (isRefused && !answer.body.issues?.length))
          wrong.push([name, place.join('.'), JSON.stringify(text), answer.status, answer.text.slice(0, 200)])
      }
    for (const text of kept) {
      const body = all.reduce<unknown>((whole, place) => withValue(whole, place, text), base())
      const answer = await send(endpoint, path, body)
      if (outcome(answer) !== 'fine') wrong.push([name, 'all', text.slice(0, 20), outcome(answer)])
    }
  }
  expect(wrong).toEqual([])
  expect(named).toBeGreaterThan(300)
})

it('hostile texts in URLs, and in five headers of one endpoint, cause no internal error', async () => {
  const wrong: unknown[] = []
  const texts = ['a%00b', '%ED%A0%80', `e${'%CC%81'.repeat(300)}%EF%BF%BE`]
  for (const [name, endpoint] of everyEndpoint) {
    if (ending.has(name)) continue
    const path = pathOf(endpoint.route, fixture, owner.id)
    const [bare = ''] = path.split('?')
    const body = methodOf(endpoint) === 'GET' ? undefined : {}
    const names = endpoint.query ? Object.keys(schemaOf(endpoint.query).properties ?? {}) : []
    const parameters = [...endpoint.route.matchAll(/\{(\w+)\}/g)].map(([whole]) => whole)
    for (const text of texts) {
      const addresses = names.map((key) => `${bare}?${key}=${text}`)
      for (const parameter of parameters) {
        const [before = '', after = ''] = endpoint.route.split(parameter)
        const fill = (part: string) => (part === '' ? '' : pathOf(`GET ${part}`, fixture, owner.id))
        addresses.push(`${fill(before.slice(before.indexOf(' ') + 1))}${text}${fill(after)}`)
      }
      for (const address of addresses) {
        const answer = await send(endpoint, address, body)
        if (outcome(answer) !== 'fine') wrong.push([name, address, outcome(answer)])
      }
    }
  }
  expect(wrong).toEqual([])
  for (const header of ['user-agent', 'idempotency-key', 'accept-language', 'if-match', 'x-csrf-token'])
    for (const text of ['__proto__', '\u00ff\u00fe'.repeat(500), 'e\u0301'.repeat(10)]) {
      const url = `/api/project/${fixture.p}/tags`
      const value = Buffer.from(text).toString('latin1')
      const answer = await owner.client.post(
        url,
        { data: { name: crypto.randomUUID() } },
        { [header]: value },
      )
      expect([header, outcome(answer)]).toEqual([header, 'fine'])
    }
})
