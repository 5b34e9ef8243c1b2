import { domainToASCII } from 'node:url'

/** The domain of an email address in ASCII; null if it has none. */
export function domainOf(email: string): string | null {
  const domain = domainToASCII(email.slice(email.lastIndexOf('@') + 1))
  return domain === '' ? null : domain
}
