import { z } from 'zod'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** Maximum lifetime of a session in hours, which is also the installation's limit. */
export const longestSessionHours = 336

const ranges = z
  .array(z.string().max(64))
  .max(200, { error: 'TooManyItems' })
  .transform((list) => (list.length === 0 ? null : list))
  .nullable()

export const securitySchema = z.object({
  /** IP ranges from which members may connect: `203.0.113.0/24`, `2001:db8::/32`. null: any IP address. */
  ipRanges: z.array(z.string()).nullable(),
  /** IP ranges from which delivery tokens may be used. null: any IP address. */
  tokenIpRanges: z.array(z.string()).nullable(),
  /** Time in hours after sign-in for which a session is valid in the space. null: the installation's limit. */
  sessionHours: z.int().nullable(),
  secondFactorRequired: z.boolean(),
  ssoRequired: z.boolean(),
  /**
   * The account of the admin who may sign in without SSO, with a second factor. null: not set, or the account was
   * deleted.
   */
  ssoExemptAccountId: idSchema.nullable(),
  /** Number of days for which entries of the audit log are kept. null: forever. */
  auditDays: z.int().nullable(),
  /** Whether all members see each other’s e-mail addresses. Otherwise only members who manage members see them. */
  addressesVisible: z.boolean(),
  /**
   * Time when pending changed `ipRanges` expire and the previous ranges apply again. A member with all rights,
   * connected from one of the new ranges, can confirm them before. null: no ranges wait for confirmation.
   */
  ipRangesPendingUntil: timeSchema.nullable(),
  /**
   * Time when pending changed `tokenIpRanges` expire and the previous ranges apply again. A member with all rights can
   * confirm them before. null: no ranges wait for confirmation.
   */
  tokenIpRangesPendingUntil: timeSchema.nullable(),
  version: z.int(),
})
export type Security = z.infer<typeof securitySchema>

const answer = z.object({
  security: securitySchema,
  /** The client IP address of this request as the server sees it. */
  yourAddress: z.string(),
})

const confirmation = z.strictObject({
  /** The version of the settings that the caller read. */
  version: z.int().optional(),
})

export const securityEndpoints = {
  getSecurity: endpoint('GET /api/project/{p}/security', {
    summary: 'Get the security settings of the space',
    permission: 'security.manage',
    response: answer,
  }),
  updateSecurity: endpoint('PUT /api/project/{p}/security', {
    audit: {
      act: 'security.update',
      of: 'security',
      shows: [
        'ipRanges',
        'tokenIpRanges',
        'sessionHours',
        'secondFactorRequired',
        'ssoRequired',
        'ssoExempt',
        'auditDays',
        'addressesVisible',
      ],
    },
    summary: 'Update the security settings of the space',
    description:
      'Omitted settings stay unchanged. Settings that would lock out the caller return 409 ' +
      '`WouldLockOutYourself` (`reason`: `address`, `session` or `sso`) without `lockOutMyself`, which ' +
      'requires every right. `ipRanges` that lock out the caller, or are saved by a caller without ' +
      'every right, expire after ten minutes. They stay if a member with every right inside the ranges ' +
      'confirms them (`confirmRanges`) or saves them. `tokenIpRanges` that remove an address return 409 ' +
      '`WouldLimitTokens` without `limitTokens`, which requires every right. They expire after ten ' +
      'minutes unless a member with every right confirms them (`confirmTokenRanges`). Only a caller who ' +
      'has a second factor can require it. `ssoRequired` needs SSO that is set up with a verified ' +
      'domain, and an `ssoExemptAccountId` with every right and a second factor; otherwise 400. With ' +
      'the `version` that the caller read, a change made since then returns 409 `VersionConflict`.',
    permission: 'security.manage',
    needsSession: true,
    body: z.strictObject({
      data: z.strictObject({
        ipRanges: ranges.optional(),
        tokenIpRanges: ranges.optional(),
        sessionHours: z.int().min(1).max(longestSessionHours).nullish(),
        secondFactorRequired: z.boolean().optional(),
        ssoRequired: z.boolean().optional(),
        ssoExemptAccountId: idSchema.nullish(),
        auditDays: z.int().min(30).max(3650).nullish(),
        addressesVisible: z.boolean().optional(),
        version: z.int().optional(),
      }),
      lockOutMyself: z.boolean().optional(),
      limitTokens: z.boolean().optional(),
    }),
    response: answer,
  }),
  confirmRanges: endpoint('POST /api/project/{p}/security/confirmRanges', {
    audit: { act: 'security.confirmRanges' },
    idempotent: { none: 'what holds goes on holding' },
    summary: 'Confirm pending IP ranges of members',
    description:
      'Pending ranges expire after ten minutes if they are not confirmed. 403 for members without ' +
      'every right or outside the ranges. With the `version` that the caller read, a change made since ' +
      'then returns 409 `VersionConflict`.',
    permission: 'security.manage',
    body: confirmation,
    response: answer,
  }),
  confirmTokenRanges: endpoint('POST /api/project/{p}/security/confirmTokenRanges', {
    audit: { act: 'security.confirmTokenRanges' },
    idempotent: { none: 'confirmed ranges stay confirmed' },
    summary: 'Confirm pending IP ranges of delivery tokens',
    description:
      'Pending ranges expire after ten minutes if they are not confirmed. 403 for members without ' +
      'every right. `version` as for `confirmRanges`.',
    permission: 'security.manage',
    body: confirmation,
    response: answer,
  }),
  validateSecondFactor: endpoint('GET /api/project/{p}/security/validate2FA', {
    summary: 'Check whether you have the second factor that the space requires',
    description:
      '`isValid` is also true if the space requires none. Also answers members whom the security ' +
      'settings exclude.',
    permission: 'space.view',
    unguarded: true,
    response: z.object({ isValid: z.boolean(), isRequired: z.boolean() }),
  }),
  validateIp: endpoint('GET /api/project/{p}/security/validateIP', {
    summary: 'Check whether the space allows your IP address',
    description: 'Also answers members whom the security settings exclude.',
    permission: 'space.view',
    unguarded: true,
    response: z.object({ isValid: z.boolean(), address: z.string() }),
  }),
}
