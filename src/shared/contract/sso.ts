import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { accountSchema } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/**
 * Maximum number of certificates per connection, and of usable certificates in metadata. Identity providers publish the
 * current and the next certificate, some of them for each region.
 */
export const maximumCertificates = 10

const certificateSchema = z.object({
  /** SHA-256 fingerprint, in hexadecimal digits with colons. */
  fingerprint: z.string(),
  subject: z.string(),
  beginsAt: timeSchema,
  endsAt: timeSchema,
})
export type SsoCertificate = z.infer<typeof certificateSchema>

const domainSchema = z.object({
  domain: z.string(),
  /**
   * How ownership was proven: by the TXT record, by an admin of the installation, or before proof was required
   * (`earlier`). null: not proven yet. Users with an email address of an unproven domain are not redirected to SSO.
   */
  proof: z.enum(['dns', 'operator', 'earlier']).nullable(),
  /** The TXT record that proves ownership. */
  record: z.object({ name: z.string(), value: z.string() }),
  checkedAt: timeSchema.nullable(),
})
export type SsoDomain = z.infer<typeof domainSchema>

/** The values to enter at the identity provider. */
const oursSchema = z.object({ entityId: z.string(), acsUrl: z.string(), redirectUri: z.string() })

const protocol = z.enum(['saml', 'oidc'])
/** The protocol to test. Default: the protocol in use. */
const ofProtocol = z.strictObject({ kind: protocol.optional() })

/** The SSO connection of a space. Responses never contain its secrets. */
const connectionSchema = z.object({
  _id: idSchema,
  /** The protocol that users sign in with. The settings of the other protocol are kept, but not used. */
  kind: protocol,
  /** Domains of the email addresses that sign in with this connection. */
  domains: z.array(domainSchema),
  /** Name of the claim or attribute that contains groups, for the protocol in use. */
  groupsName: z.string(),
  /**
   * Whether users become members of the space at their first sign-in, with a new account if they have none. Otherwise
   * only members, invited users and users of the directory can sign in.
   */
  provisions: z.boolean(),
  saml: z.object({
    entityId: z.string(),
    signInUrl: z.string(),
    certificates: z.array(certificateSchema),
    idpInitiated: z.boolean(),
    /** Name of the attribute that contains groups. */
    groupsName: z.string(),
    /** Whether the protocol has all settings that a sign-in needs, in use or not. */
    isComplete: z.boolean(),
  }),
  oidc: z.object({
    issuer: z.string(),
    clientId: z.string(),
    hasSecret: z.boolean(),
    /** Scopes requested in addition to `openid email profile`. Okta only sends groups if `groups` is requested. */
    scopes: z.array(z.string()),
    /** Name of the claim that contains groups. */
    groupsName: z.string(),
    /** Whether the protocol has all settings that a sign-in needs, in use or not. */
    isComplete: z.boolean(),
  }),
  /** Whether the protocol in use is complete, so that users can sign in. */
  isComplete: z.boolean(),
  ours: oursSchema,
  version: z.int(),
})
export type SsoConnection = z.infer<typeof connectionSchema>

const address = z.string().trim().max(1000)
const pem = z.string().max(20_000)
/** A scope in the format of RFC 6749 §3.3. */
const scope = z
  .string()
  .max(100)
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, { error: 'InvalidFormat' })
const metadataSchema = z.object({
  entityId: z.string(),
  signInUrl: z.string(),
  /**
   * Certificates that can be used: not expired, with an RSA key of at least 2,048 bits, in the order of the metadata.
   * `pem` is the form that `updateSso` accepts.
   */
  certificates: z.array(certificateSchema.extend({ pem: z.string() })),
  /** Number of other certificates: expired, unreadable, or without such a key. */
  unusable: z.int(),
})
export type SsoMetadata = z.infer<typeof metadataSchema>
const connectionAnswer = z.object({ sso: connectionSchema.nullable() })
const certificatesAnswer = z.object({ certificates: z.array(certificateSchema) })

export const ssoProblems = [
  'incomplete',
  'unreachable',
  'notAllowedAddress',
  'noDiscovery',
  'certificateEnded',
] as const
export type SsoProblem = (typeof ssoProblems)[number]

const identity = {
  issuer: z.string(),
  subject: z.string(),
  createdAt: timeSchema,
  lastUsedAt: timeSchema,
}
const memberIdentitiesSchema = z.object({
  sso: z.object(identity).nullable(),
  /** The member's names in the directory that provisions by SCIM. null: the directory does not list the member. */
  scim: z.object({ userName: z.string(), externalId: z.string().nullable() }).nullable(),
})
export type MemberIdentities = z.infer<typeof memberIdentitiesSchema>
const ownIdentitySchema = z.object({
  _id: idSchema,
  space: z.object({ uid: z.string(), name: z.string() }),
  ...identity,
})
export type OwnSsoIdentity = z.infer<typeof ownIdentitySchema>

const domainProblems = ['noRecord', 'otherRecord', 'unreachable'] as const
export type SsoDomainProblem = (typeof domainProblems)[number]
export const ssoRefusalReasons = [
  'signature',
  'assertionNotSigned',
  'unknownCertificate',
  'certificateEnded',
  'algorithm',
  'encrypted',
  'issuer',
  'audience',
  'destination',
  'expired',
  'notYetValid',
  'request',
  'replayed',
  'status',
  'subject',
  'otherSubject',
  'severalUsers',
  'unverifiedAccount',
  'secret',
  'malformed',
  'unreachable',
  'ended',
  'idpInitiated',
  'providerError',
  'noEmail',
  'emailNotVerified',
  'wrongEmail',
  'domain',
  'notManaged',
  'notInvited',
  'deactivated',
  'invitationUsed',
  'invitation',
  'signupClosed',
  'other',
] as const
export type SsoRefusalReason = (typeof ssoRefusalReasons)[number]

/** Why the groups of a sign-in may differ from the actual ones. */
export const ssoGroupsProblems = ['missing', 'overage', 'tooMany', 'unreadable', 'oneText'] as const
export type SsoGroupsProblem = (typeof ssoGroupsProblems)[number]

const refusalSchema = z.object({
  at: timeSchema,
  reason: z.enum(ssoRefusalReasons),
  /** English message of the failed check, for the admin of the identity provider. */
  detail: z.string().nullable(),
  /** The email address sent by the identity provider. null: it sent none, or its response could not be trusted. */
  email: z.string().nullable(),
  ip: z.string().nullable(),
})
export type SsoRefusalEntry = z.infer<typeof refusalSchema>

/** Result of an SSO test: the effect that the sign-in would have had. */
const testResultSchema = z.object({
  claims: z.object({
    issuer: z.string(),
    subject: z.string(),
    email: z.string().nullable(),
    name: z.string(),
    groups: z.array(z.string()),
    /** null: the groups were read without problems. */
    groupsProblem: z.enum(ssoGroupsProblems).nullable(),
  }),
  /** `link`: the user already has an account, and would first have to link it. */
  result: z.enum(['signIn', 'link', 'refused']),
  reason: z.enum(ssoRefusalReasons).nullable(),
  /**
   * Email address of the account. null: the sign-in was refused, or the result is `link` and the identity provider
   * named another address.
   */
  email: z.string().nullable(),
  /** uid of the role in the space. null unless `result` is `signIn`. */
  roleId: z.string().nullable(),
})
export type SsoTestResult = z.infer<typeof testResultSchema>

const namedDomain = z.strictObject({ domain: z.string().max(253) })
const domainAnswer = z.object({
  sso: connectionSchema.nullable(),
  problem: z.enum(domainProblems).nullable(),
})

/** The requests of identity providers, which have no session. */
const byProvider = { permission: 'public', caller: 'identityProvider', rate: { address: 300 } } as const
/** The first value of a field of a form. Identity providers may omit the field. */
const firstText = z.union([z.string(), z.array(z.string()).transform(([first = '']) => first)]).default('')

export const ssoEndpoints = {
  getSso: endpoint('GET /api/project/{p}/sso', {
    summary: 'Get the SSO settings of the space',
    description:
      '`sso` is null if the space has no SSO. `ours` has the values to enter at the identity provider; ' +
      'it is available before a connection exists.',
    permission: 'security.manage',
    response: connectionAnswer.extend({ ours: oursSchema }),
  }),
  readSsoMetadata: endpoint('POST /api/project/{p}/sso/metadata', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'it reads what an identity provider says of itself, and changes nothing' },
    summary: 'Read the SAML metadata of an identity provider',
    description:
      'The metadata is read from an https URL (`url`) or from text (`xml`). The response has the input ' +
      'of `updateSso`. A document with several identity providers, or with more than 10 usable ' +
      'certificates, is refused (400). Follows up to three redirects to https URLs; a redirect to any ' +
      'other URL, or one more, returns 400 `SsoMetadataIsElsewhere` with its `location`. 503 ' +
      '`SsoUnavailable` if the URL does not answer with a document.',
    permission: 'security.manage',
    transaction: 'own',
    maximumSeconds: 30,
    body: z.union([z.strictObject({ url: address }), z.strictObject({ xml: z.string().max(300_000) })]),
    response: z.object({ metadata: metadataSchema }),
  }),
  updateSso: endpoint('PUT /api/project/{p}/sso', {
    audit: {
      act: 'security.ssoUpdate',
      of: 'sso',
      shows: [
        'kind',
        'domains',
        'groupsName',
        'otherGroupsName',
        'provisions',
        'saml',
        'certificates',
        'idpInitiated',
        'oidc',
        'scopes',
      ],
    },
    summary: 'Create or update the SSO settings of the space',
    description:
      '`kind` is the protocol for sign-ins. Both `saml` and `oidc` are saved, so that one can be ' +
      'prepared while the other is in use. Omitted values stay; the client secret stays only for the ' +
      'same issuer and client ID. Switching from a complete protocol to an incomplete one is refused ' +
      '(409 `SsoProtocolIsIncomplete`). While SSO is required, the protocol must stay complete and a ' +
      'verified domain must stay (409 `SsoIsStillRequired`). A domain is not used before it is proven ' +
      '(`checkSsoDomain`). A change of the identity provider or of the trusted claims, or one that ' +
      'admits more people, requires authority over every member who signs in by SSO. The caller must ' +
      'also be able to assign every role that groups grant in the space and its apps, and the role of ' +
      'people in no group (400 `InvalidRoleChange`). With the `version` that the caller read, a change ' +
      'made since then returns 409 `VersionConflict`.',
    permission: 'security.manage',
    body: z.strictObject({
      data: z.strictObject({
        kind: protocol,
        domains: z.array(z.string().max(253)).max(50, { error: 'TooManyItems' }),
        /** Applies to the protocol `kind`, unless its own settings contain a name. */
        groupsName: storableText(200).optional(),
        provisions: z.boolean().optional(),
        saml: z
          .strictObject({
            entityId: storableText(1000).optional(),
            signInUrl: address.optional(),
            idpInitiated: z.boolean().optional(),
            /** PEM. Added to the existing certificates, as `addSsoCertificate` does. */
            certificates: z.array(pem).max(maximumCertificates, { error: 'TooManyItems' }).optional(),
            groupsName: storableText(200).optional(),
          })
          .optional(),
        oidc: z
          .strictObject({
            issuer: address.optional(),
            clientId: storableText(500).optional(),
            clientSecret: z.string().max(1000).optional(),
            scopes: z.array(scope).max(20, { error: 'TooManyItems' }).optional(),
            groupsName: storableText(200).optional(),
          })
          .optional(),
        version: z.int().optional(),
      }),
    }),
    response: connectionAnswer,
  }),
  deleteSso: endpoint('DELETE /api/project/{p}/sso', {
    audit: { act: 'security.ssoDelete', shows: ['kind', 'domains'] },
    summary: 'Delete the SSO settings of the space',
    description:
      'Members sign in with their other methods again. Sessions created by SSO end. Refused while SSO ' +
      'is required (409 `SsoIsStillRequired`). Requires the same rights as `updateSso`.',
    permission: 'security.manage',
    response: successSchema,
  }),
  testSso: endpoint('POST /api/project/{p}/sso/test', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'it asks the identity provider what it says of itself, and changes nothing' },
    summary: 'Check that the SSO settings are complete and the identity provider responds',
    description:
      '`problem` null: none was found. `kind` checks that protocol instead of the one in use. 404 ' +
      'without a connection.',
    permission: 'security.manage',
    query: ofProtocol,
    transaction: 'own',
    maximumSeconds: 30,
    response: z.object({ problem: z.enum(ssoProblems).nullable() }),
  }),
  trySso: endpoint('POST /api/project/{p}/sso/try', {
    idempotent: { none: 'begins anew, which is wanted' },
    audit: { none: 'nobody is signed in by it, and nothing changes' },
    summary: 'Start a test sign-in by SSO that creates no session',
    description:
      'Returns the URL for a window. The same account must finish it in the same browser within 15 ' +
      "minutes; the result contains the identity provider's response and the effect of a real sign-in. " +
      '`kind` tests that protocol instead of the one in use. 404 `SsoNotSetUp` if the tested protocol ' +
      'or the one in use is incomplete. 429 `TooManyRequests` after 30 tests in a minute.',
    permission: 'security.manage',
    needsSession: true,
    query: ofProtocol,
    transaction: 'own',
    maximumSeconds: 30,
    response: z.object({
      url: z.string(),
      /** `_id` of the SSO test. The message of the page `/connected` about a refused test contains it. */
      testId: idSchema,
    }),
  }),
  listSsoRefusals: endpoint('GET /api/project/{p}/sso/refusal', {
    summary: 'List the newest refused sign-ins by SSO with their reasons',
    description: 'Returns at most 20. Older ones are in the audit log.',
    permission: 'security.manage',
    response: z.object({ refusals: z.array(refusalSchema) }),
  }),
  checkSsoDomain: endpoint('POST /api/project/{p}/sso/domain:check', {
    idempotent: { none: 'a domain that is proven stays so' },
    audit: { act: 'security.ssoDomain', shows: ['domain', 'proof'] },
    summary: 'Check the TXT record that proves a domain',
    description:
      "`problem` is null if the domain is proven. From then on, addresses of the domain use the space's " +
      'SSO, and its identity provider is trusted for them. A correct record also requires the rights of ' +
      '`updateSso` (400 `InvalidRoleChange`). 404 for a domain that is not in the settings.',
    permission: 'security.manage',
    transaction: 'own',
    maximumSeconds: 30,
    body: namedDomain,
    response: domainAnswer,
  }),
  confirmSsoDomain: endpoint('POST /api/project/{p}/sso/domain:confirm', {
    idempotent: { none: 'a domain that is proven stays so' },
    audit: { act: 'security.ssoDomain', shows: ['domain', 'proof'] },
    summary: 'Confirm a domain without a DNS check, as an installation admin',
    description:
      'For installations without a name server. 403 unless the member is an admin of the installation. ' +
      'Also requires the rights of `updateSso` (400 `InvalidRoleChange`).',
    permission: 'security.manage',
    body: namedDomain,
    response: domainAnswer,
  }),
  listSsoCertificates: endpoint('GET /api/project/{p}/sso/certificate', {
    summary: 'List the certificates that the identity provider can sign with',
    description: '404 without a connection.',
    permission: 'security.manage',
    response: certificatesAnswer,
  }),
  addSsoCertificate: endpoint('POST /api/project/{p}/sso/certificate', {
    idempotent: { none: 'a certificate that is there already changes nothing' },
    audit: { act: 'security.ssoCertificate', shows: ['fingerprint', 'endsAt'] },
    summary: 'Add a certificate before the present one expires',
    description:
      'PEM, RSA with at least 2,048 bits. Deletes expired certificates. More than 10 are refused (400 ' +
      '`TooManyItems`). Requires the same rights as `updateSso`.',
    permission: 'security.manage',
    body: z.strictObject({ certificate: pem }),
    response: certificatesAnswer,
  }),
  deleteSsoCertificate: endpoint('DELETE /api/project/{p}/sso/certificate/{fingerprint}', {
    audit: { act: 'security.ssoCertificateDelete', shows: ['fingerprint', 'endsAt'] },
    summary: 'Delete a certificate by its SHA-256 fingerprint',
    description:
      'Needed, for example, if the key of a certificate was leaked. The last certificate that has not ' +
      'expired is kept (409 `SsoCertificateIsNeeded`). Requires the same rights as `updateSso`.',
    permission: 'security.manage',
    response: certificatesAnswer,
  }),
  getMemberIdentities: endpoint('GET /api/project/{p}/member/{id}/identity', {
    summary: "Get a member's identities at the identity provider and in the directory",
    permission: 'member.manage',
    response: z.object({ identities: memberIdentitiesSchema }),
  }),
  unlinkMember: endpoint('DELETE /api/project/{p}/member/{id}/identity', {
    audit: { act: 'member.ssoUnlink' },
    summary: 'Unlink a member from the identity provider',
    description:
      'Ends the sessions that depend on the link. The next sign-in by SSO asks the member to link the ' +
      "account again, with the account's own sign-in method. 404 for a member who is not linked, 400 " +
      '`InvalidRoleChange` for a member with more rights than the caller.',
    permission: 'member.manage',
    response: successSchema,
  }),
  listOwnIdentities: endpoint('GET /api/account/{id}/identity', {
    summary: 'List the spaces whose SSO your account is linked to',
    permission: 'account',
    response: z.object({ identities: z.array(ownIdentitySchema) }),
  }),
  unlinkOwnIdentity: endpoint('DELETE /api/account/{id}/identity/{identity}', {
    audit: { act: 'account.ssoUnlink' },
    summary: 'Unlink your account from the SSO of a space',
    description: 'Ends the sessions that depend on the link. `{identity}` is the `_id` of the list.',
    permission: 'account',
    response: successSchema,
  }),
  beginSso: endpoint('POST /api/auth/sso', {
    idempotent: { none: 'begins a sign-in anew, which is wanted' },
    audit: { none: 'nobody is signed in yet' },
    summary: 'Start a sign-in by SSO with the uid of a space or an email address',
    description:
      'Returns the URL for the browser, which must finish the sign-in within 15 minutes. `space` is ' +
      'used if both are sent. 409 `SsoSpaceIsNeeded` if several spaces have the domain of the address, ' +
      '404 `SsoNotSetUp` if none has.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({
      email: z.string().max(254).optional(),
      space: z.string().max(64).optional(),
      /** Target of the redirect afterwards: a path of the admin's origin. */
      redirect: z.string().max(1000).optional(),
      /** Whether the sign-in runs in a popup. The page `/connected` then notifies the window that opened the popup. */
      popup: z.boolean().optional(),
      invitationCode: z.string().max(200).optional(),
    }),
    response: z.object({ url: z.string() }),
  }),
  finishSso: endpoint('POST /api/auth/sso/finish', {
    idempotent: { none: 'a sign-in is finished once' },
    audit: { act: 'account.ssoLogin', of: 'user' },
    summary: "Finish a sign-in by SSO with the identity provider's response",
    description:
      'Must be sent by the browser that started the sign-in (otherwise 401 `SsoHasEnded`). `user` is ' +
      'null for a test, and if the person already has an account created by other means. They then sign ' +
      'in to that account once by those means, and link it (`linkSso`). 403 with a code that begins ' +
      'with `Sso`, such as `SsoNotInvited`, if the person may not sign in.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ code: z.string().max(200) }),
    response: z.object({
      user: accountSchema.nullable(),
      /**
       * `email`: email address of the account; null if the identity provider named another address. `isOwn`: whether
       * the browser is signed in to the account.
       */
      link: z.object({ email: z.string().nullable(), isOwn: z.boolean(), spaceName: z.string() }).nullable(),
      /** The result of an SSO test (`trySso`), which signs no user in. null: not a test. */
      testResult: testResultSchema.nullable(),
      space: z.string(),
      popup: z.boolean(),
      redirect: z.string().nullable(),
    }),
  }),
  answerOidc: endpoint('GET /api/sso/{id}/callback', {
    summary: 'Receive the response of an OpenID Connect identity provider',
    description:
      'The identity provider redirects the browser to this URL. The response redirects it to the page ' +
      'that finishes the sign-in, or to a page with the error. Only the browser that started the sign-in ' +
      'can finish it.',
    ...byProvider,
    rawQuery: true,
    response: { kind: 'redirect' },
  }),
  answerSaml: endpoint('POST /api/sso/{id}/acs', {
    idempotent: { none: 'a response is used once' },
    audit: {
      none: 'the browser finishes the sign-in, which is recorded; refused responses are recorded too',
    },
    summary: 'Receive the response of a SAML identity provider',
    description: 'The assertion consumer service (binding HTTP-POST). Redirects like `answerOidc`.',
    ...byProvider,
    body: { kind: 'form', schema: z.object({ SAMLResponse: firstText, RelayState: firstText }) },
    maximumBytes: 256 * 1024,
    response: { kind: 'redirect' },
  }),
  getSamlMetadata: endpoint('GET /api/sso/{id}/metadata', {
    summary: "Get the installation's SAML metadata for an identity provider",
    description: '404 without a connection.',
    ...byProvider,
    response: { kind: 'text', type: 'application/samlmetadata+xml' },
  }),
  linkSso: endpoint('POST /api/auth/sso/link', {
    idempotent: { none: 'a sign-in is finished once' },
    audit: { act: 'account.ssoLink', of: 'user' },
    summary: 'Link the signed-in account to SSO and sign in',
    description: '403 `Forbidden` for any account other than the one that `finishSso` asked to link.',
    permission: 'account',
    body: z.strictObject({ code: z.string().max(200) }),
    response: z.object({
      user: accountSchema,
      space: z.string(),
      popup: z.boolean(),
      redirect: z.string().nullable(),
    }),
  }),
}
