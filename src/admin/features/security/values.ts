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
  /** `_id` of an account. An empty string: no account. */
  ssoExemptAccountId: string
  auditDays: string
  addressesVisible: boolean
}

/** No limit: sessions last as long as the installation allows, or audit entries are kept forever. */
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

/** Parses ranges separated by line breaks, spaces or commas. Full-width characters are converted. */
export const rangesOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .split(/[\s,、]+/)
    .filter((part) => part !== '')

const numberOf = (text: string) => (text === unlimited ? null : Number(text))

/** Returns the settings as sent to the server. */
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
