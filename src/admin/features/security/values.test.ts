import { expect, test } from 'vitest'
import { rangesOf, settingsOf, valuesOf } from './values.ts'

test('rangesOf splits at line breaks and commas, and converts full-width characters', () => {
  expect(rangesOf(' 203.0.113.0/24\n１０．０．０．１、2001:db8::/32,\n\n')).toEqual([
    '203.0.113.0/24',
    '10.0.0.1',
    '2001:db8::/32',
  ])
})

test('valuesOf and settingsOf convert settings to form values and back without changes', () => {
  const security = {
    ipRanges: ['10.0.0.0/8', '::1/128'],
    tokenIpRanges: null,
    sessionHours: 24,
    secondFactorRequired: false,
    ssoRequired: true,
    ssoExemptAccountId: 'abcdefabcdefabcdefabcdef',
    auditDays: null,
    addressesVisible: true,
    ipRangesPendingUntil: null,
    tokenIpRangesPendingUntil: null,
    version: 3,
  }
  const {
    version: _,
    ipRangesPendingUntil: _members,
    tokenIpRangesPendingUntil: _tokens,
    ...settings
  } = security
  expect(settingsOf(valuesOf(security))).toEqual(settings)
})
