import { X509Certificate } from 'node:crypto'
import { noteAudit } from '#server/access/audit.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { findSecurity } from '#server/access/security.ts'
import type { Config } from '#server/config.ts'
import { requireCommandOfLinked } from '#server/features/group-roles/group-roles.service.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import type { Services } from '#server/services.ts'
import type { BodyOf } from '#shared/contract/endpoint.ts'
import type {
  SsoCertificate,
  SsoConnection,
  SsoMetadata,
  SsoProblem,
  ssoEndpoints,
} from '#shared/contract/sso.ts'
import { AppError } from '#shared/errors.ts'
import { connectionIdOf, ourAddresses, readUrl } from './addresses.ts'
import { isInForce, presentCertificate, readCertificate, withCertificates } from './certificates.ts'
import { type DomainRow, listDomains, saveDomains } from './domains.repository.ts'
import { presentDomain, readDomains } from './domains.ts'
import { fetchMetadata } from './fetch-metadata.ts'
import { readIdpMetadata } from './idp-metadata.ts'
import { discover, withoutStandard } from './oidc.ts'
import { hasOidc, hasSaml, isComplete, type Protocol } from './protocols.ts'
import { openSecret, sealSecret } from './secrets.ts'
import * as rows from './sso.repository.ts'
import { requireTrusted, saysOtherThan } from './trust.ts'

type Input = BodyOf<(typeof ssoEndpoints)['updateSso']>['data']

function present(config: Config, row: rows.ConnectionRow, domains: DomainRow[]): SsoConnection {
  const { id, spaceId: _, secret, saml, oidc, ...rest } = row
  const [samlIsComplete, oidcIsComplete] = [isComplete(row, 'saml'), isComplete(row, 'oidc')]
  return {
    ...rest,
    _id: id,
    domains: domains.map(presentDomain),
    groupsName: row[row.kind].groupsName,
    saml: {
      ...saml,
      certificates: saml.certificates.map(presentCertificate),
      isComplete: samlIsComplete,
    },
    oidc: { ...oidc, hasSecret: secret !== null, isComplete: oidcIsComplete },
    ours: ourAddresses(config, id),
  }
}

/**
 * Returns the properties of a connection for the audit log. Omits a protocol whose identity provider was not entered
 * ({@link hasSaml}, {@link hasOidc}), except `groupsName` of the protocol in use.
 */
const audited = (
  { kind, provisions, saml, oidc }: rows.ConnectionRow,
  domains: readonly { domain: string }[],
) => ({
  kind,
  domains: domains.map(({ domain }) => domain).join(', '),
  groupsName: { saml, oidc }[kind].groupsName,
  ...(hasSaml(saml) && hasOidc(oidc) && { otherGroupsName: { saml: oidc, oidc: saml }[kind].groupsName }),
  provisions,
  ...(hasSaml(saml) && {
    saml: `${saml.entityId} ${saml.signInUrl}`,
    certificates: saml.certificates.map((pem) => presentCertificate(pem).fingerprint).join(', '),
    idpInitiated: saml.idpInitiated,
  }),
  ...(hasOidc(oidc) && { oidc: `${oidc.issuer} ${oidc.clientId}`, scopes: oidc.scopes.join(' ') }),
})

/** Returns the connection, if it exists, and this installation's addresses for the identity provider. */
export async function getSso({ db, scope, services: { config } }: SpaceContext) {
  const row = await rows.findConnection(db, scope)
  return {
    sso: row && present(config, row, await listDomains(db, scope)),
    ours: ourAddresses(config, row?.id ?? connectionIdOf(scope)),
  }
}

/**
 * Reads the metadata of an identity provider, from its URL or as text, and saves nothing. Throws the errors of {@link
 * readIdpMetadata} and {@link fetchMetadata}.
 */
export async function readMetadataOf(
  { url, xml }: { url?: string | undefined; xml?: string | undefined },
  services: Services,
): Promise<SsoMetadata> {
  const path = xml === undefined ? 'url' : 'xml'
  const text = xml ?? (await fetchMetadata(url ?? '', services))
  const { certificates, ...rest } = readIdpMetadata(text, path)
  return { ...rest, certificates: certificates.map((pem) => ({ ...presentCertificate(pem), pem })) }
}

/**
 * Saves the settings of both protocols, and the protocol that users sign in with. Throws `ValidationFailed` with the
 * path of the invalid value, `VersionConflict`, `InvalidRoleChange` and `SsoIsStillRequired`. Throws
 * `SsoProtocolIsIncomplete` if the protocol in use is complete and would be replaced by an incomplete one.
 */
export async function updateSso(ctx: SpaceContext, input: Input): Promise<SsoConnection> {
  const { config, secrets } = ctx.services
  await lockSpace(ctx, 'security.manage')
  const before = await rows.findConnection(ctx.db, ctx.scope)
  if (input.version !== undefined && input.version !== (before?.version ?? 0))
    throw new AppError('VersionConflict', { details: { current: before?.version ?? 0 } })
  const names = readDomains(input.domains)
  const domainsBefore = await listDomains(ctx.db, ctx.scope)
  const id = before?.id ?? connectionIdOf(ctx.scope)
  const { kind } = input
  const groupsNameOf = (protocol: Protocol) =>
    input[protocol]?.groupsName?.trim() || (protocol === kind && input.groupsName?.trim()) || null
  const samlBefore = before?.saml ?? rows.noSaml
  const saml = {
    entityId: input.saml?.entityId?.trim() ?? samlBefore.entityId,
    signInUrl: readUrl(input.saml?.signInUrl ?? samlBefore.signInUrl, 'data.saml.signInUrl', config),
    certificates: withCertificates(
      samlBefore.certificates,
      (input.saml?.certificates ?? []).map((text, index) =>
        readCertificate(text, `data.saml.certificates.${index}`),
      ),
      'data.saml.certificates',
    ),
    idpInitiated: input.saml?.idpInitiated ?? samlBefore.idpInitiated,
    groupsName: groupsNameOf('saml') ?? samlBefore.groupsName,
  }
  const oidcBefore = before?.oidc ?? rows.noOidc
  const oidc = {
    issuer: readUrl(input.oidc?.issuer ?? oidcBefore.issuer, 'data.oidc.issuer', config),
    clientId: input.oidc?.clientId?.trim() ?? oidcBefore.clientId,
    scopes: withoutStandard(input.oidc?.scopes ?? oidcBefore.scopes),
    groupsName: groupsNameOf('oidc') ?? oidcBefore.groupsName,
  }
  const given = input.oidc?.clientSecret
  // The secret is kept only for the same issuer and client.
  const keeps = oidcBefore.issuer === oidc.issuer && oidcBefore.clientId === oidc.clientId
  const secret = given ? sealSecret(secrets, id, given) : keeps ? (before?.secret ?? null) : null
  const wanted: Omit<rows.ConnectionRow, 'spaceId' | 'version'> = {
    id,
    kind,
    saml,
    oidc,
    secret,
    provisions: input.provisions ?? before?.provisions ?? true,
    isComplete: isComplete({ saml, oidc, secret }, kind),
  }
  if (saysOtherThan(before, wanted)) await requireTrusted(ctx)
  if (before?.isComplete && before.kind !== kind && !wanted.isComplete)
    throw new AppError('SsoProtocolIsIncomplete', { issues: [{ path: 'data.kind', code: 'InvalidValue' }] })
  const proven = domainsBefore.filter(({ proof }) => proof !== null)
  const losesDomains = proven.length > 0 && !proven.some(({ domain }) => names.includes(domain))
  if (!wanted.isComplete || losesDomains) await requireNotRequired(ctx)
  const saved = await rows.saveConnection(ctx.db, ctx.scope, wanted)
  const domains = await saveDomains(ctx.db, ctx.scope, names)
  // A domain that is added again keeps its earlier proof, so its email addresses are trusted without a new check.
  const isTrustedAgain = ({ domain, proof }: DomainRow) =>
    proof !== null && !domainsBefore.some((known) => known.domain === domain)
  if (domains.some(isTrustedAgain)) await requireTrusted(ctx)
  noteAudit(ctx, {
    objectId: id,
    objectName: ctx.space.name,
    ...(before ? { before: audited(before, domainsBefore) } : {}),
    after: audited(saved, domains),
    // The entry only records that a secret was entered. Two encryptions of the same secret differ, so the secrets are
    // not compared.
    ...(given ? { facts: { newClientSecret: true } } : {}),
  })
  return present(config, saved, domains)
}

/** Deletes the connection. Throws 404, `InvalidRoleChange`, `SsoIsStillRequired`. */
export async function deleteSso(ctx: SpaceContext): Promise<void> {
  await lockSpace(ctx, 'security.manage')
  const before = await requireConnection(ctx)
  // Deleting and recreating a connection is a way to change it. An incomplete connection grants no access.
  await (before.isComplete ? requireTrusted(ctx) : requireCommandOfLinked(ctx))
  await requireNotRequired(ctx)
  const domains = await listDomains(ctx.db, ctx.scope)
  noteAudit(ctx, { objectId: before.id, objectName: ctx.space.name, before: audited(before, domains) })
  await rows.deleteConnection(ctx.db, ctx.scope)
}

/**
 * Tests a protocol (default: the one in use). SAML requires complete settings and an unexpired certificate. OpenID
 * Connect requires complete settings and an issuer that returns its configuration. Returns the problem; null: none.
 * Throws 404 without a connection, and `SsoUnavailable` if the client secret cannot be decrypted.
 */
export async function testSso(
  ctx: OwnTransactions<SpaceContext>,
  protocol?: Protocol,
): Promise<SsoProblem | null> {
  const row = await ctx.inSpace(({ db, scope }) => rows.findConnection(db, scope))
  if (!row) throw new AppError('NotFound')
  const kind = protocol ?? row.kind
  if (!isComplete(row, kind)) return 'incomplete'
  if (kind === 'saml') return row.saml.certificates.some(isInForce) ? null : 'certificateEnded'
  const secret = openSecret(ctx.services.secrets, row)
  try {
    await discover(ctx.services.outgoing, row, secret)
    return null
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause)
      if (cause instanceof OutgoingHttpError)
        return cause.code === 'blocked_address' ? 'notAllowedAddress' : 'unreachable'
    return 'noDiscovery'
  }
}

export async function listCertificates(ctx: SpaceContext): Promise<SsoCertificate[]> {
  return (await requireConnection(ctx)).saml.certificates.map(presentCertificate)
}

/** Adds a certificate. Throws 404, `ValidationFailed`, `InvalidRoleChange`. */
export async function addCertificate(ctx: SpaceContext, text: string): Promise<SsoCertificate[]> {
  const pem = readCertificate(text, 'certificate')
  await lockSpace(ctx, 'security.manage')
  const before = await requireConnection(ctx)
  const certificates = withCertificates(before.saml.certificates, [pem], 'certificate')
  const wanted = { ...before, saml: { ...before.saml, certificates } }
  wanted.isComplete = isComplete(wanted, wanted.kind)
  if (saysOtherThan(before, wanted)) await requireTrusted(ctx)
  await rows.saveConnection(ctx.db, ctx.scope, wanted)
  const { fingerprint256: fingerprint, validTo } = new X509Certificate(pem)
  const after = { fingerprint, endsAt: new Date(validTo).toISOString() }
  noteAudit(ctx, { objectId: before.id, objectName: ctx.space.name, after })
  return certificates.map(presentCertificate)
}

/**
 * Deletes a certificate. Throws 404 for a certificate that the connection does not have, `SsoCertificateIsNeeded`,
 * `InvalidRoleChange`.
 */
export async function deleteCertificate(ctx: SpaceContext, fingerprint: string): Promise<SsoCertificate[]> {
  await lockSpace(ctx, 'security.manage')
  const before = await requireConnection(ctx)
  const wanted = fingerprint.toUpperCase()
  const [found] = before.saml.certificates.map(presentCertificate).filter((one) => one.fingerprint === wanted)
  if (!found) throw new AppError('NotFound')
  const certificates = before.saml.certificates.filter(
    (pem) => presentCertificate(pem).fingerprint !== wanted,
  )
  if (!certificates.some(isInForce)) throw new AppError('SsoCertificateIsNeeded')
  const after = { ...before, saml: { ...before.saml, certificates } }
  if (saysOtherThan(before, after)) await requireTrusted(ctx)
  await rows.saveConnection(ctx.db, ctx.scope, after)
  noteAudit(ctx, { objectId: before.id, objectName: ctx.space.name, before: found })
  return certificates.map(presentCertificate)
}

async function requireConnection({ db, scope }: SpaceContext): Promise<rows.ConnectionRow> {
  const row = await rows.findConnection(db, scope)
  if (!row) throw new AppError('NotFound')
  return row
}

async function requireNotRequired({ db, scope }: SpaceContext): Promise<void> {
  if ((await findSecurity(db, scope.spaceId)).sso_required) throw new AppError('SsoIsStillRequired')
}
