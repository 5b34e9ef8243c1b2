import { BlockList, isIP } from 'node:net'

/**
 * IP ranges that requests to URLs from untrusted input must not reach. They are this host, private networks, link-local
 * (cloud metadata), carrier NAT, documentation, benchmarks, multicast, reserved ranges, and IPv6 forms that embed an
 * IPv4 address. `::ffff:0:0/96` is omitted, because BlockList checks the IPv4 address embedded in it.
 */
const ipv4Ranges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
const ipv6Ranges = [
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/**
 * Creates a check for IP addresses that outgoing requests must not reach. `ownAddresses` adds the server's own public
 * IP addresses. A text that is not an IP literal counts as blocked.
 */
export function createAddressCheck(ownAddresses: readonly string[] = []): (address: string) => boolean {
  const blocked = new BlockList()
  for (const range of [...ipv4Ranges, ...ipv6Ranges]) {
    const [network = '', prefix = ''] = range.split('/')
    blocked.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4')
  }
  for (const address of ownAddresses) {
    if (isIP(address)) blocked.addAddress(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return (address) => {
    const bare = address.split('%')[0] ?? ''
    const family = isIP(bare)
    if (family === 0) return true
    return blocked.check(bare, family === 6 ? 'ipv6' : 'ipv4')
  }
}
