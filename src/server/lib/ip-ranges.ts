import { BlockList, isIP } from 'node:net'

export interface IpRanges {
  /**
   * Returns whether a range contains `ip`. False if `ip` is not an address. An IPv4-mapped IPv6 address in dotted
   * notation (`::ffff:192.0.2.1`) counts as IPv4.
   */
  contains(ip: string): boolean
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * Normalizes an IP address for comparison: removes the zone, and converts an IPv4-mapped IPv6 address in dotted
 * notation to IPv4.
 */
function plain(ip: string): string {
  const [address = ''] = ip.split('%', 1)
  return mapped.exec(address)?.[1] ?? address
}

/**
 * Normalizes `203.0.113.0/24`, `2001:db8::/32` or a single IP address: lower case, with prefix length. `null` for any
 * other text, such as an IPv4-mapped address in dotted notation (`::ffff:203.0.113.1`), an invalid length, or an IPv4
 * number with leading zeros, which programs interpret differently.
 */
export function readIpRange(text: string): string | null {
  const match = /^([0-9a-fA-F:.]{2,45})(?:\/(0|[1-9]\d{0,2}))?$/.exec(text.trim())
  const address = match?.[1]?.toLowerCase()
  const family = address === undefined ? 0 : isIP(address)
  if (address === undefined || family === 0 || mapped.test(address)) return null
  const longest = family === 4 ? 32 : 128
  const length = match?.[2] === undefined ? longest : Number(match[2])
  return length <= longest ? `${address}/${length}` : null
}

/** Compiles ranges in the form that {@link readIpRange} returns. */
export function ipRanges(ranges: readonly string[]): IpRanges {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', length = ''] = range.split('/')
    list.addSubnet(address, Number(length), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    contains(ip) {
      const address = plain(ip)
      const family = isIP(address)
      return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
    },
  }
}

/**
 * Returns whether the ranges `after` lack one of the ranges `before`. `null` allows every address. Ranges are compared
 * as texts, so a range that is contained in another counts as different.
 */
export const removesRange = (before: readonly string[] | null, after: readonly string[] | null): boolean =>
  after !== null && (before === null || before.some((range) => !after.includes(range)))
