import type { Security } from '#shared/contract/security.ts'

/** The form's state: ranges as lines, choices as strings. */
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

/** No limit: sessions as long as the installation allows, or retention forever. */
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

/** Parses ranges separated by lines or commas, also in full-width characters. */
export const rangesOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .split(/[\s,、]+/)
    .filter((part) => part !== '')

const numberOf = (text: string) => (text === unlimited ? null : Number(text))

/** The settings as sent to the server. */
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
