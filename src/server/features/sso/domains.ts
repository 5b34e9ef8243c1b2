import { domainToASCII } from 'node:url'
import type { SsoDomain } from '#shared/contract/sso.ts'
import { invalid } from '#shared/errors.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import type { DomainRow } from './domains.repository.ts'

/* Which domains of email addresses are a space's own, and how that is proven (docs/decisions/0060). */

const domainShape =
  /^(?=.{1,246}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/

/** The domain of an email address in ASCII; null for none. */
export function domainOf(email: string): string | null {
  const domain = domainToASCII(email.slice(email.lastIndexOf('@') + 1))
  return domain === '' ? null : domain
}

/** Domains as they are kept. Throws `ValidationFailed` for what is none. */
export function readDomains(given: string[]): string[] {
  const domains = given.map((text, index) => {
    const domain = domainToASCII(normalizeUnicode(text.trim(), 'NFKC').replace(/^@/, '').toLowerCase())
    if (!domainShape.test(domain)) throw invalid(`data.domains.${index}`, 'InvalidFormat')
    return domain
  })
  return [...new Set(domains)]
}

/** The TXT record by which whoever keeps the domain's zone shows that it is the space's. */
export const recordOf = ({ domain, challenge }: Pick<DomainRow, 'domain' | 'challenge'>) => ({
  name: `_imori.${domain}`,
  value: `imori-domain-verification=${challenge}`,
})

export const presentDomain = (row: DomainRow): SsoDomain => ({
  domain: row.domain,
  proof: row.proof,
  record: recordOf(row),
  checkedAt: row.checkedAt?.toISOString() ?? null,
})
