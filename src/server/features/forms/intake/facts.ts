import { type FormField, isReservedName, type SubmittedValue } from '#shared/forms/fields.ts'
import { isEmail } from '#shared/forms/rules.ts'

/* Facts about a submission that are stored in addition to its values. */

/** Names of values that are probably an e-mail address, in forms without an e-mail field. */
const emailNames = new Set([
  'email',
  'mail',
  'emailaddress',
  'mailaddress',
  'メール',
  'メールアドレス',
  'eメール',
])

/** Returns the values to store: without reserved names, which are for Imori itself. */
export const storedValues = (values: SubmittedValue[]): SubmittedValue[] =>
  values.filter(({ name }) => !isReservedName(name))

/** Returns whether a submission contains neither a file nor a visible value. */
export const isNothing = (values: SubmittedValue[], files: number): boolean =>
  files === 0 && values.every(({ value }) => [value].flat().every((text) => text.trim() === ''))

/**
 * Returns the e-mail address of the visitor in lower case: the value of the first e-mail field, or of a field whose
 * name means e-mail. null: none that looks like an address.
 */
export function emailOf(fields: FormField[], values: SubmittedValue[]): string | null {
  const named = new Set(fields.filter(({ type }) => type === 'email').map(({ name }) => name))
  const isWanted =
    named.size > 0
      ? (name: string) => named.has(name)
      : (name: string) => emailNames.has(name.toLowerCase().replace(/[\s_-]/g, ''))
  for (const { name, value } of values) {
    if (!isWanted(name)) continue
    const text = [value].flat()[0]?.trim() ?? ''
    if (isEmail(text)) return text.toLowerCase()
  }
  return null
}

/** Maximum length of a stored page address in UTF-16 units. */
const maxPageLength = 2_000

/**
 * Returns the address of the page that sent the form, as the browser reported it, without its query and credentials,
 * which may be secret. null: none, or no web page.
 */
export function pageOf(referer: string | undefined, origin: string | undefined): string | null {
  for (const text of [referer, origin]) {
    if (text === undefined || !/^https?:\/\//i.test(text) || !URL.canParse(text)) continue
    const { origin: site, pathname } = new URL(text)
    return `${site}${pathname}`.slice(0, maxPageLength)
  }
  return null
}
