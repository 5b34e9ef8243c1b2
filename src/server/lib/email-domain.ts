import { domainToASCII } from 'node:url'

/** Returns the domain of an email address in ASCII. `null` if the address has no domain. */
export function domainOf(email: string): string | null {
  const domain = domainToASCII(email.slice(email.lastIndexOf('@') + 1))
  return domain === '' ? null : domain
}
