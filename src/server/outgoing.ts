import type { Config, OutgoingPurpose } from './config.ts'
import { findTxtRecords } from './lib/outgoing-dns.ts'
import { createOutgoingHttp, type OutgoingHttp } from './lib/outgoing-http.ts'

/** Outgoing HTTP and DNS of a process. */
export interface Outgoing {
  /**
   * Returns the client for requests that begin at `url`. If the operator listed the origin of `url` for the purpose,
   * the client reaches all origins of that list. Otherwise it reaches only public addresses, so that a public host
   * cannot redirect or refer to a private one.
   */
  clientFor(purpose: OutgoingPurpose, url: string | URL): OutgoingHttp
  /**
   * Returns the texts of a name's TXT records. Throws `OutgoingDnsError` if no name server returns a usable response.
   */
  txtRecords(name: string): Promise<string[]>
  /** Closes idle sockets and aborts running exchanges. */
  close(): Promise<void>
}

/** Requests to S3 may contain the name of the bucket as a subdomain of the listed endpoint. */
const reachesSubdomains: ReadonlySet<OutgoingPurpose> = new Set(['bucket', 'storage'])

/**
 * Maximum number of sockets per origin for webhooks, instead of the default. Many webhooks may have the same origin,
 * and the slow ones among them must not use up its sockets.
 */
const socketsOfWebhooks = 1000

/** Creates the clients of a process. Call `close()` on shutdown. */
export function createOutgoing({ privateOrigins, ports, nameServers }: Config['outgoing']): Outgoing {
  const publicOnly = createOutgoingHttp({ ports })
  const publicWebhooks = createOutgoingHttp({ ports, connections: socketsOfWebhooks })
  const clients = new Map<OutgoingPurpose, OutgoingHttp>()

  function privateClient(purpose: OutgoingPurpose): OutgoingHttp {
    const options = {
      allowPrivate: privateOrigins[purpose],
      allowSubdomains: reachesSubdomains.has(purpose),
      ...(purpose === 'webhooks' ? { connections: socketsOfWebhooks } : {}),
    }
    const client = clients.get(purpose) ?? createOutgoingHttp({ ...options, ports })
    clients.set(purpose, client)
    return client
  }

  return {
    clientFor(purpose, url) {
      if (isListed({ outgoing: { privateOrigins } }, purpose, url)) return privateClient(purpose)
      return purpose === 'webhooks' ? publicWebhooks : publicOnly
    },
    txtRecords: (name) => findTxtRecords(name, nameServers),
    async close() {
      await Promise.all([publicOnly, publicWebhooks, ...clients.values()].map((client) => client.close()))
    },
  }
}

/** Returns whether the operator listed the origin of a URL for this purpose. */
export const isListed = (
  { outgoing }: { outgoing: Pick<Config['outgoing'], 'privateOrigins'> },
  purpose: OutgoingPurpose,
  url: string | URL,
): boolean => URL.canParse(url) && outgoing.privateOrigins[purpose].includes(new URL(url).origin)
