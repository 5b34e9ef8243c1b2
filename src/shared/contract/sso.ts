import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { accountSchema } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/**
 * Maximum number of certificates per connection, and of usable certificates in metadata. Identity providers publish the
 * current and the next certificate, and some publish one per region.
 */
export const maximumCertificates = 10

/** A signing certificate of an identity provider. */
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
   * (`earlier`). null: not proven yet, so addresses of the domain are not redirected to SSO.
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
  /** Whether accounts are created at the first sign-in. Otherwise only invited users can sign in. */
  provisions: z.boolean(),
  saml: z.object({
    entityId: z.string(),
    signInUrl: z.string(),
    certificates: z.array(certificateSchema),
    /** Whether sign-ins may begin at the identity provider. */
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
  /** Whether the protocol in use is complete, so that users can sign in with it. */
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
   * Currently valid certificates with RSA keys, in the order of the metadata. `pem` is the form that `updateSso`
   * accepts.
   */
  certificates: z.array(certificateSchema.extend({ pem: z.string() })),
  /** Number of certificates that cannot be used: expired, unreadable, or without an RSA key of 2,048 bits. */
  unusable: z.int(),
})
export type SsoMetadata = z.infer<typeof metadataSchema>
const connectionAnswer = z.object({ sso: connectionSchema.nullable() })
const certificatesAnswer = z.object({ certificates: z.array(certificateSchema) })

/** Problems that the connection test can report. */
export const ssoProblems = [
  'incomplete',
  'unreachable',
  'notAllowedAddress',
  'noDiscovery',
  'certificateEnded',
] as const
export type SsoProblem = (typeof ssoProblems)[number]

/** The identity of a user at an identity provider. */
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

/** Why a domain could not be proven. */
const domainProblems = ['noRecord', 'otherRecord', 'unreachable'] as const
export type SsoDomainProblem = (typeof domainProblems)[number]
/** Why a sign-in by SSO was refused. */
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
  /** The message of the check, in English, for the admin of the identity provider. */
  detail: z.string().nullable(),
  /** The address sent by the identity provider. null: it sent none, or its response could not be trusted. */
  email: z.string().nullable(),
  ip: z.string().nullable(),
})
export type SsoRefusalEntry = z.infer<typeof refusalSchema>

/** The result that an SSO test would have had as a sign-in. */
const trialSchema = z.object({
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
  /** Address of the account. null: no account. Also null for `link` if the identity provider named another address. */
  email: z.string().nullable(),
  /** uid of the role in the space. */
  roleId: z.string().nullable(),
})
export type SsoTrial = z.infer<typeof trialSchema>

const namedDomain = z.strictObject({ domain: z.string().max(253) })
const domainAnswer = z.object({
  sso: connectionSchema.nullable(),
  problem: z.enum(domainProblems).nullable(),
})

export const ssoEndpoints = {
  getSso: endpoint('GET /api/project/{p}/sso', {
    summary:
      'How the members of the space sign in by SSO; null: they do not. `ours` is what the identity provider is to be told, and is ' +
      'known before there is a connection.',
    permission: 'security.manage',
    response: connectionAnswer.extend({ ours: oursSchema }),
  }),
  readSsoMetadata: endpoint('POST /api/project/{p}/sso/metadata', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'it reads what an identity provider says of itself, and changes nothing' },
    summary:
      'Read the SAML metadata of an identity provider, from its address (`url`, https) or as text (`xml`): what `updateSso` takes. ' +
      'Several identity providers in one document are refused, and so are more than 10 usable certificates. Up to three redirects are followed to https addresses; a redirect to any ' +
      'other address is 400 `SsoMetadataIsElsewhere` with its `location`.',
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
    summary:
      'Make or change the space’s SSO. `kind` is the protocol that people sign in with. `saml` and `oidc` are both saved, so that ' +
      'one can be prepared while the other is in use; what is left out of them stays, a secret above all. A complete protocol is not ' +
      'left for one that is not complete (409 `SsoProtocolIsIncomplete`). A domain sends ' +
      'nobody here until it is proven (`checkSsoDomain`). Who changes whom or which claim is believed, or lets ' +
      'more people in, must be allowed to command everybody who signs in by it and to give every role that groups give, in the space ' +
      'and in its apps, and that of who is in none (`InvalidRoleChange`).',
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
    summary:
      'Members sign in as everywhere else again; sessions that SSO made end. Not while it is required (409 `SsoIsStillRequired`). ' +
      'Asks for the same as changing it.',
    permission: 'security.manage',
    response: successSchema,
  }),
  testSso: endpoint('POST /api/project/{p}/sso/test', {
    idempotent: { none: 'it changes nothing' },
    audit: { none: 'it asks the identity provider what it says of itself, and changes nothing' },
    summary:
      'Is everything there that a sign-in needs, and does the identity provider answer? null: yes. `kind` asks for the protocol ' +
      'that is not in use.',
    permission: 'security.manage',
    query: ofProtocol,
    transaction: 'own',
    maximumSeconds: 30,
    response: z.object({ problem: z.enum(ssoProblems).nullable() }),
  }),
  trySso: endpoint('POST /api/project/{p}/sso/try', {
    idempotent: { none: 'begins anew, which is wanted' },
    audit: { none: 'nobody is signed in by it, and nothing changes' },
    summary:
      'Begin a sign-in by SSO that signs nobody in: answers where a window is to go. Finished by the same account in the same ' +
      'browser, it tells what the identity provider said and what would have happened. `kind` tries the protocol that is not in ' +
      'use. 404 `SsoNotSetUp` for a protocol that is not complete, or while the one in use is not.',
    permission: 'security.manage',
    query: ofProtocol,
    transaction: 'own',
    maximumSeconds: 30,
    response: z.object({
      url: z.string(),
      /** `_id` of the SSO test. The message of the page `/connected` about a refused test contains it. */
      trial: idSchema,
    }),
  }),
  listSsoRefusals: endpoint('GET /api/project/{p}/sso/refusal', {
    summary:
      'The newest sign-ins by SSO that were refused and why, 20 at most. The audit log has all of them.',
    permission: 'security.manage',
    response: z.object({ refusals: z.array(refusalSchema) }),
  }),
  checkSsoDomain: endpoint('POST /api/project/{p}/sso/domain:check', {
    idempotent: { none: 'a domain that is proven stays so' },
    audit: { act: 'security.ssoDomain', shows: ['domain', 'proof'] },
    summary:
      'Look for the TXT record that proves a domain. `problem` is null once it is proven: from then on addresses of the domain ' +
      'lead to the space’s SSO, and its identity provider may speak for them.',
    permission: 'security.manage',
    transaction: 'own',
    maximumSeconds: 30,
    body: namedDomain,
    response: domainAnswer,
  }),
  confirmSsoDomain: endpoint('POST /api/project/{p}/sso/domain:confirm', {
    idempotent: { none: 'a domain that is proven stays so' },
    audit: { act: 'security.ssoDomain', shows: ['domain', 'proof'] },
    summary:
      'Say that a domain is the space’s own where no name server can be asked: for members who are admins of the installation, too (else 403).',
    permission: 'security.manage',
    body: namedDomain,
    response: domainAnswer,
  }),
  listSsoCertificates: endpoint('GET /api/project/{p}/sso/certificate', {
    summary: 'The certificates with which the identity provider may sign.',
    permission: 'security.manage',
    response: certificatesAnswer,
  }),
  addSsoCertificate: endpoint('POST /api/project/{p}/sso/certificate', {
    idempotent: { none: 'a certificate that is there already changes nothing' },
    audit: { act: 'security.ssoCertificate', shows: ['fingerprint', 'endsAt'] },
    summary:
      'Add a certificate (PEM, RSA of 2,048 bits at least) beside the present one, before that one ends. Those that have ' +
      'ended go; more than 10 are refused (400 `TooManyItems`).',
    permission: 'security.manage',
    body: z.strictObject({ certificate: pem }),
    response: certificatesAnswer,
  }),
  deleteSsoCertificate: endpoint('DELETE /api/project/{p}/sso/certificate/{fingerprint}', {
    audit: { act: 'security.ssoCertificateDelete', shows: ['fingerprint', 'endsAt'] },
    summary:
      'Believe a certificate no more, such as one whose key became known: it is named by its SHA-256 fingerprint. At least one that has ' +
      'not ended stays (409 `SsoCertificateIsNeeded`). Asks for the same as changing the connection.',
    permission: 'security.manage',
    response: certificatesAnswer,
  }),
  getMemberIdentities: endpoint('GET /api/project/{p}/member/{id}/identity', {
    summary: 'Who a member is to the space’s identity provider and to its directory.',
    permission: 'member.manage',
    response: z.object({ identities: memberIdentitiesSchema }),
  }),
  unlinkMember: endpoint('DELETE /api/project/{p}/member/{id}/identity', {
    audit: { act: 'member.ssoUnlink' },
    summary:
      'End a member’s link to the identity provider, with the sessions that are good by it alone. Signing in by SSO again asks them ' +
      'to link their account anew, by means of its own.',
    permission: 'member.manage',
    response: successSchema,
  }),
  listOwnIdentities: endpoint('GET /api/account/{id}/identity', {
    summary: 'The spaces whose SSO one’s own account is linked to.',
    permission: 'account',
    response: z.object({ identities: z.array(ownIdentitySchema) }),
  }),
  unlinkOwnIdentity: endpoint('DELETE /api/account/{id}/identity/{identity}', {
    audit: { act: 'account.ssoUnlink' },
    summary: 'End one’s own link to the SSO of a space.',
    permission: 'account',
    response: successSchema,
  }),
  beginSso: endpoint('POST /api/auth/sso', {
    idempotent: { none: 'begins a sign-in anew, which is wanted' },
    audit: { none: 'nobody is signed in yet' },
    summary:
      'Begin to sign in by SSO: of a space by its uid, or of the one whose domain an address has. Answers where the browser is to go. ' +
      'Several spaces with the domain answer 409 `SsoSpaceIsNeeded`; none 404 `SsoNotSetUp`.',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({
      email: z.string().max(254).optional(),
      space: z.string().max(64).optional(),
      /** Target of the redirect afterwards: a path of the admin's origin. */
      redirect: z.string().max(1000).optional(),
      /** Whether the sign-in runs in a popup. The page `/connected` then notifies the window that opened it. */
      popup: z.boolean().optional(),
      invitationCode: z.string().max(200).optional(),
    }),
    response: z.object({ url: z.string() }),
  }),
  finishSso: endpoint('POST /api/auth/sso/finish', {
    idempotent: { none: 'a sign-in is finished once' },
    audit: { act: 'account.ssoLogin', of: 'user' },
    summary:
      'Finish what the identity provider answered, in the browser that began. `user` is null where there is an account of that ' +
      'person that was made by other means: its owner signs in by these once and links it (`linkSso`).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ code: z.string().max(200) }),
    response: z.object({
      user: accountSchema.nullable(),
      /**
       * `email`: address of the account; null if the identity provider named another address. `isOwn`: whether the
       * browser is signed in to the account.
       */
      link: z.object({ email: z.string().nullable(), isOwn: z.boolean(), spaceName: z.string() }).nullable(),
      /** The result of an SSO test (`trySso`), which signs no user in. null: not a test. */
      trial: trialSchema.nullable(),
      space: z.string(),
      popup: z.boolean(),
      redirect: z.string().nullable(),
    }),
  }),
  linkSso: endpoint('POST /api/auth/sso/link', {
    idempotent: { none: 'a sign-in is finished once' },
    audit: { act: 'account.ssoLink', of: 'user' },
    summary:
      'Link the account that is signed in, if it is the one that `finishSso` asked to link, and sign in.',
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
