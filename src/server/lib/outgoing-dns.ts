import { Resolver } from 'node:dns/promises'

/** No name server returned a usable response. `detail` is a system code such as ETIMEOUT. */
export class OutgoingDnsError extends Error {
  readonly detail: string
  constructor(detail: string) {
    super(`No name server answered: ${detail}`)
    this.name = 'OutgoingDnsError'
    this.detail = detail
  }
}

/**
 * Returns the texts of a name's TXT records. Empty if the name does not exist or has no TXT records. Queries
 * `nameServers` (`192.0.2.53`, `192.0.2.53:5353`), or the system's name servers if the list is empty. Throws {@link
 * OutgoingDnsError}.
 */
export async function findTxtRecords(name: string, nameServers: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 })
  if (nameServers.length > 0) resolver.setServers(nameServers)
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string }
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw new OutgoingDnsError(code)
  }
}
