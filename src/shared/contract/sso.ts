import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { accountSchema } from './accounts.ts'
import { idSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** A certificate with which an identity provider signs. */
const certificateSchema = z.object({
  /** SHA-256, in hexadecimal digits with colons. */
  fingerprint: z.string(),
  subject: z.string(),
  beginsAt: timeSchema,
  endsAt: timeSchema,
})
export type SsoCertificate = z.infer<typeof certificateSchema>

const domainSchema = z.object({
  domain: z.string(),
  /**
   * How it was shown to be the space's: by its TXT record, by the word of an admin of the installation, or before this was
   * asked for. null: not yet, and nobody is sent here for it.
   */
  proof: z.enum(['dns', 'operator', 'earlier']).nullable(),
  /** The TXT record that proves it. */
  record: z.object({ name: z.string(), value: z.string() }),
  checkedAt: timeSchema.nullable(),
})
export type SsoDomain = z.infer<typeof domainSchema>

/** What an identity provider is to be told of us. */
const oursSchema = z.object({ entityId: z.string(), acsUrl: z.string(), redirectUri: z.string() })

/** How the members of a space sign in by their organization. Secrets are never answered. */
const connectionSchema = z.object({
  _id: idSchema,
  kind: z.enum(['saml', 'oidc']),
  /** Of email addresses. */
  domains: z.array(domainSchema),
  /** Of the claim or attribute that names groups. */
  groupsName: z.string(),
  /** Accounts are made at the first sign-in; else only who is invited comes in. */
  provisions: z.boolean(),
  saml: z.object({
    entityId: z.string(),
    signInUrl: z.string(),
    certificates: z.array(certificateSchema),
    /** Sign-ins may begin at the identity provider. */
    idpInitiated: z.boolean(),
  }),
  oidc: z.object({ issuer: z.string(), clientId: z.string(), hasSecret: z.boolean() }),
  /** People can sign in with it. */
  isComplete: z.boolean(),
  ours: oursSchema,
  version: z.int(),
})
export type SsoConnection = z.infer<typeof connectionSchema>

const address = z.string().trim().max(1000)
const pem = z.string().max(20_000)
const metadataSchema = z.object({
  entityId: z.string(),
  signInUrl: z.string(),
  /** In force, with RSA keys; `pem` is what `updateSso` takes. */
  certificates: z.array(certificateSchema.extend({ pem: z.string() })),
})
export type SsoMetadata = z.infer<typeof metadataSchema>
const connectionAnswer = z.object({ sso: connectionSchema.nullable() })
const certificatesAnswer = z.object({ certificates: z.array(certificateSchema) })

/** What can be wrong with a connection that is tried out. */
export const ssoProblems = [
  'incomplete',
  'unreachable',
  'notAllowedAddress',
  'noDiscovery',
  'certificateEnded',
] as const
export type SsoProblem = (typeof ssoProblems)[number]

/** Who somebody is to an identity provider. */
const identity = {
  issuer: z.string(),
  subject: z.string(),
  createdAt: timeSchema,
  lastUsedAt: timeSchema,
}
const memberIdentitiesSchema = z.object({
  sso: z.object(identity).nullable(),
  /** What the directory that provisions by SCIM calls them. */
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
  'algorithm',
  'encrypted',
  'issuer',
  'audience',
  'destination',
  'expired',
  'request',
  'replayed',
  'status',
  'subject',
  'secret',
  'malformed',
  'unreachable',
  'ended',
  'domain',
  'notInvited',
  'signupClosed',
  'other',
] as const
export type SsoRefusalReason = (typeof ssoRefusalReasons)[number]

const refusalSchema = z.object({
  at: timeSchema,
  reason: z.enum(ssoRefusalReasons),
  /** What the check said, in English; for who looks after the identity provider. */
  detail: z.string().nullable(),
  /** As the identity provider named it; null where its answer could not be trusted. */
  email: z.string().nullable(),
  ip: z.string().nullable(),
})
export type SsoRefusalEntry = z.infer<typeof refusalSchema>

/** What a sign-in that was only tried out would have done. */
const trialSchema = z.object({
  claims: z.object({
    issuer: z.string(),
    subject: z.string(),
    email: z.string().nullable(),
    name: z.string(),
    groups: z.array(z.string()),
  }),
  /** `link`: there is an account of that address, whose owner would be asked to link it first. */
  result: z.enum(['signIn', 'link', 'refused']),
  reason: z.enum(ssoRefusalReasons).nullable(),
  /** Of the account. */
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
      'Several identity providers in one document are refused.',
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
      shows: ['kind', 'domains', 'groupsName', 'provisions', 'saml', 'oidc'],
    },
    summary:
      'Make or change the space’s SSO. What is left out of `saml` and `oidc` stays, a secret above all. A domain sends ' +
      'nobody here until it is proven (`checkSsoDomain`). Who changes whom or which claim is believed, or lets ' +
      'more people in, must be allowed to command everybody who signs in by it and to give every role that groups give, in the space ' +
      'and in its apps, and that of who is in none (`InvalidRoleChange`).',
    permission: 'security.manage',
    body: z.strictObject({
      data: z.strictObject({
        kind: z.enum(['saml', 'oidc']),
        domains: z.array(z.string().max(253)).max(50, { error: 'TooManyItems' }),
        groupsName: storableText(200).optional(),
        provisions: z.boolean().optional(),
        saml: z
          .strictObject({
            entityId: storableText(1000).optional(),
            signInUrl: address.optional(),
            idpInitiated: z.boolean().optional(),
            /** PEM, added to those that are there as by `addSsoCertificate`. */
            certificates: z.array(pem).max(2, { error: 'TooManyItems' }).optional(),
          })
          .optional(),
        oidc: z
          .strictObject({
            issuer: address.optional(),
            clientId: storableText(500).optional(),
            clientSecret: z.string().max(1000).optional(),
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
    summary: 'Is everything there that a sign-in needs, and does the identity provider answer? null: yes.',
    permission: 'security.manage',
    transaction: 'own',
    maximumSeconds: 30,
    response: z.object({ problem: z.enum(ssoProblems).nullable() }),
  }),
  trySso: endpoint('POST /api/project/{p}/sso/try', {
    idempotent: { none: 'begins anew, which is wanted' },
    audit: { none: 'nobody is signed in by it, and nothing changes' },
    summary:
      'Begin a sign-in by SSO that signs nobody in: answers where a window is to go. Finished by the same account in the same ' +
      'browser, it tells what the identity provider said and what would have happened. 404 `SsoNotSetUp` for a connection that is ' +
      'not complete.',
    permission: 'security.manage',
    transaction: 'own',
    maximumSeconds: 30,
    response: z.object({ url: z.string() }),
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
      'ended go, and of more than two the oldest.',
    permission: 'security.manage',
    body: z.strictObject({ certificate: pem }),
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
      /** Where to go afterwards: a path of this origin. */
      redirect: z.string().max(1000).optional(),
      /** The page of `/connected` tells whoever opened it. */
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
      'address that was made by other means: its owner signs in by these once and links it (`linkSso`).',
    permission: 'public',
    csrf: 'origin',
    body: z.strictObject({ code: z.string().max(200) }),
    response: z.object({
      user: accountSchema.nullable(),
      link: z.object({ email: z.string(), spaceName: z.string() }).nullable(),
      /** Only tried out (`trySso`): nobody was signed in. */
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
      'Link the account that is signed in, if its address is the one that the identity provider named, and sign in.',
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
