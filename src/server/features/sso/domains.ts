import { domainToASCII } from 'node:url'
import type { SsoDomain } from '#shared/contract/sso.ts'
import { invalid } from '#shared/errors.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import type { DomainRow } from './domains.repository.ts'

/* Email domains that a space claims, and the proof that it owns them (docs/decisions/0060). */

export { domainOf } from '#server/lib/email-domain.ts'

const domainShape =
  /^(?=.{1,246}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/

/** Normalises domains and removes duplicates. Throws `ValidationFailed` for an invalid domain. */
export function readDomains(given: string[]): string[] {
  const domains = given.map((text, index) => {
    const domain = domainToASCII(normalizeUnicode(text.trim(), 'NFKC').replace(/^@/, '').toLowerCase())
    if (!domainShape.test(domain)) throw invalid(`data.domains.${index}`, 'InvalidFormat')
    return domain
  })
  return [...new Set(domains)]
}

/** Returns the TXT record that proves control over the domain's zone. */
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
