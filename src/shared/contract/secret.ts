import { z } from 'zod'

const secrets = new WeakSet<z.ZodType>()

/**
 * Creates the schema of a secret text in a response: a token, or a link that grants access. Endpoints that return a
 * secret and accept an idempotency key must set `answersSecret` (test/answered-secrets.test.ts), so that the stored
 * response is encrypted.
 */
export function secret(): z.ZodString {
  const schema = z.string()
  secrets.add(schema)
  return schema
}

/** Returns whether the schema was created by {@link secret}. */
export const isSecret = (schema: z.ZodType): boolean => secrets.has(schema)
