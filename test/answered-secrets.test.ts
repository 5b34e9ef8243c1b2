import { expect, it } from 'vitest'
import { z } from 'zod'
import { responseOf } from '#shared/contract/endpoint.ts'
import { endpoints } from '#shared/contract/index.ts'
import { isSecret, secret } from '#shared/contract/secret.ts'

/** Returns every schema nested in a schema, with the name of its property. */
function inside(
  schema: z.ZodType,
  name = '',
  seen = new Set<z.ZodType>(),
): { name: string; schema: z.ZodType }[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const inner: { name: string; schema: z.ZodType }[] = []
  const look = (value: unknown, property: string) => {
    if (value instanceof z.ZodType) inner.push(...inside(value, property, seen))
    else if (Array.isArray(value)) for (const each of value) look(each, property)
  }
  if (schema instanceof z.ZodObject)
    for (const [property, value] of Object.entries(schema.shape)) look(value, property)
  for (const value of Object.values(schema.def)) look(value, name)
  if (schema instanceof z.ZodLazy) look(schema.unwrap(), name)
  return [{ name, schema }, ...inner]
}

const answers = Object.entries(endpoints).flatMap(([name, endpoint]) => {
  const response = responseOf(endpoint)
  return response.kind === 'json' ? [{ name, endpoint, parts: inside(response.schema) }] : []
})
const showing = answers.filter(({ parts }) => parts.some(({ schema }) => isSecret(schema)))

it('inside() finds secrets in nested schemas', () => {
  for (const schema of [
    z.object({ a: z.array(z.object({ b: secret().nullable().optional() })) }),
    z.union([z.string(), z.record(z.string(), secret())]),
    z.lazy(() => z.tuple([secret()])),
    z.object({}).and(z.object({ a: secret().default('') })),
  ])
    expect(inside(schema).some((part) => isSecret(part.schema))).toBe(true)
  expect(inside(z.object({ a: z.string() })).some((part) => isSecret(part.schema))).toBe(false)
})

it('`answersSecret` is set exactly for idempotent endpoints with a secret in the response', () => {
  const sealed = answers.filter(({ endpoint }) => 'answersSecret' in endpoint).map(({ name }) => name)
  const open = showing
    .filter(({ endpoint }) => 'idempotent' in endpoint && endpoint.idempotent === true)
    .map(({ name }) => name)
  expect(open).toEqual(expect.arrayContaining(['createApiToken', 'createInvitation', 'createScim']))
  expect(sealed.sort()).toEqual(open.sort())
})

/**
 * Names that suggest a secret. A string property of a response with such a name must be a `secret()`, or be listed in
 * `harmless`.
 */
const telling = /token$|secret$|password|signingKey|recoveryCode/i
const harmless = new Set(['csrfToken', 'cdnToken', 'apiToken', 'recoveryCodesLeft'])

it('every string property of a response with a name like a secret is a `secret()` or listed as harmless', () => {
  const unmarked = answers.flatMap(({ name, parts }) =>
    parts
      .filter((part) => part.schema instanceof z.ZodString && telling.test(part.name))
      .filter((part) => !harmless.has(part.name) && !isSecret(part.schema))
      .map((part) => `${name}: ${part.name}`),
  )
  expect(unmarked).toEqual([])
})
