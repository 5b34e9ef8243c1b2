import { expect, test } from 'vitest'
import { ipRanges, readIpRange } from './ip-ranges.ts'

test('readIpRange normalizes addresses and ranges, and returns null for invalid or ambiguous texts', () => {
  expect(readIpRange(' 203.0.113.0/24 ')).toBe('203.0.113.0/24')
  expect(readIpRange('203.0.113.7')).toBe('203.0.113.7/32')
  expect(readIpRange('2001:DB8::/32')).toBe('2001:db8::/32')
  expect(readIpRange('::1')).toBe('::1/128')
  expect(readIpRange('0.0.0.0/0')).toBe('0.0.0.0/0')
  for (const wrong of [
    '',
    'example.com',
    '203.0.113.0/33',
    '203.0.113.0/024',
    '203.0.113.0/-1',
    '203.0.113/24',
    '0203.0.113.1',
    '0x7f.0.0.1',
    '2001:db8::/129',
    '::ffff:203.0.113.1',
    '::/0/0',
    '203.0.113.0/24,10.0.0.0/8',
    'fe80::1%eth0',
    '１０.0.0.1',
  ])
    expect([wrong, readIpRange(wrong)]).toEqual([wrong, null])
})

test('ipRanges contains the addresses of its ranges, also in IPv4-mapped notation', () => {
  const ranges = ipRanges(['203.0.113.0/24', '2001:db8:1::/48'])
  for (const ip of ['203.0.113.255', '::ffff:203.0.113.9', '::FFFF:203.0.113.9', '2001:db8:1:ffff::1'])
    expect([ip, ranges.contains(ip)]).toEqual([ip, true])
  for (const ip of [
    '203.0.114.0',
    '::ffff:10.0.0.1',
    '2001:db8:2::1',
    '',
    'unknown',
    '203.0.113.5, 10.0.0.1',
  ])
    expect([ip, ranges.contains(ip)]).toEqual([ip, false])
  expect(ipRanges([]).contains('203.0.113.1')).toBe(false)
})
