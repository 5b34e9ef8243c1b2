import { domainToASCII } from 'node:url'

/** Returns the text after the last `@` as a domain in ASCII. `null` if it is not a valid domain. */
export function domainOf(email: string): string | null {
  const domain = domainToASCII(email.slice(email.lastIndexOf('@') + 1))
  return domain === '' ? null : domain
}
