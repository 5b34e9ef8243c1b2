import { AppError, invalid } from '#shared/errors.ts'

/** Maximum number of fields of a form without files. */
const maxFields = 1_000
const ampersand = '&'.charCodeAt(0)

/** The text fields of a form by name. A field that was sent several times is a list. */
export type FormFields = Record<string, string | string[]>

/** Collects fields. Names such as `__proto__` are names like all others. */
export class FieldCollector {
  readonly #fields = new Map<string, string | string[]>()

  add(name: string, value: string): void {
    const before = this.#fields.get(name)
    if (Array.isArray(before)) before.push(value)
    else this.#fields.set(name, before === undefined ? value : [before, value])
  }

  get fields(): FormFields {
    return Object.fromEntries(this.#fields)
  }
}

/**
 * Parses a body of the type `application/x-www-form-urlencoded` as browsers define it: invalid escapes are text, and
 * invalid UTF-8 becomes U+FFFD. Throws 400 for more than 1,000 fields.
 */
export function parseForm(body: Buffer): FormFields {
  let count = 1
  for (let at = body.indexOf(ampersand); at >= 0; at = body.indexOf(ampersand, at + 1))
    if (++count > maxFields) throw invalid('', 'TooManyItems', { maximum: maxFields })
  const collector = new FieldCollector()
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) collector.add(name, value)
  return collector.fields
}

/** Throws 415 for a compressed body, because request bodies are never decompressed. */
export function requireUncompressed(headers: Record<string, unknown>): void {
  if (headers['content-encoding'] !== undefined) throw new AppError('UnsupportedMediaType')
}
