import { z } from 'zod'

const secrets = new WeakSet<z.ZodType>()

/**
 * A text in an answer that opens something: a token, a link that is as good as one. An endpoint that shows one and can be
 * asked again with a key says `answersSecret` (test/answered-secrets.test.ts), so that the kept answer is sealed.
 */
export function secret(): z.ZodString {
  const schema = z.string()
  secrets.add(schema)
  return schema
}

/** Is it one of these? */
export const isSecret = (schema: z.ZodType): boolean => secrets.has(schema)
