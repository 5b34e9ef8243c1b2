import type { Security } from '#shared/contract/security.ts'

/** The settings as the form holds them: ranges as lines, choices as texts. */
export interface Values {
  restrictsMembers: boolean
  ipRanges: string
  restrictsTokens: boolean
  tokenIpRanges: string
  sessionHours: string
  secondFactorRequired: boolean
  ssoRequired: boolean
  /** An account; '' for none. */
  ssoExemptAccountId: string
  auditDays: string
  addressesVisible: boolean
}

/** For as long as the installation lets sessions live; for ever. */
export const unlimited = 'unlimited'

export const valuesOf = (security: Security): Values => ({
  restrictsMembers: security.ipRanges !== null,
  ipRanges: (security.ipRanges ?? []).join('\n'),
  restrictsTokens: security.tokenIpRanges !== null,
  tokenIpRanges: (security.tokenIpRanges ?? []).join('\n'),
  sessionHours: security.sessionHours?.toString() ?? unlimited,
  secondFactorRequired: security.secondFactorRequired,
  ssoRequired: security.ssoRequired,
  ssoExemptAccountId: security.ssoExemptAccountId ?? '',
  auditDays: security.auditDays?.toString() ?? unlimited,
  addressesVisible: security.addressesVisible,
})

/** Lines and commas part ranges; what is typed in full width is meant in half width. */
export const rangesOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .split(/[\s,、]+/)
    .filter((part) => part !== '')

const numberOf = (text: string) => (text === unlimited ? null : Number(text))

/** The same as the server is sent it. */
export const settingsOf = (values: Values) => ({
  ipRanges: values.restrictsMembers ? rangesOf(values.ipRanges) : null,
  tokenIpRanges: values.restrictsTokens ? rangesOf(values.tokenIpRanges) : null,
  sessionHours: numberOf(values.sessionHours),
  secondFactorRequired: values.secondFactorRequired,
  ssoRequired: values.ssoRequired,
  ssoExemptAccountId: values.ssoExemptAccountId || null,
  auditDays: numberOf(values.auditDays),
  addressesVisible: values.addressesVisible,
})
