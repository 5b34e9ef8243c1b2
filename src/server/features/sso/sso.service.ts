import { X509Certificate } from 'node:crypto'
import { noteAudit } from '#server/access/audit.ts'
import type { OwnTransactions, SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { findSecurity } from '#server/access/security.ts'
import type { Config } from '#server/config.ts'
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
import { AppError, invalid } from '#shared/errors.ts'
import { connectionIdOf, ourAddresses } from './addresses.ts'
import {
  isInForce,
  presentCertificate,
  readCertificate,
  withCertificate,
  withCertificates,
} from './certificates.ts'
import { type DomainRow, listDomains, saveDomains } from './domains.repository.ts'
import { presentDomain, readDomains } from './domains.ts'
import { readIdpMetadata } from './idp-metadata.ts'
import { discover } from './oidc.ts'
import { openSecret, sealSecret, withOutgoing } from './secrets.ts'
import * as rows from './sso.repository.ts'
import { requireCommandOfLinked, requireTrusted, saysOtherThan } from './trust.ts'

type Input = BodyOf<(typeof ssoEndpoints)['updateSso']>['data']

function present(config: Config, row: rows.ConnectionRow, domains: DomainRow[]): SsoConnection {
  const { id, spaceId: _, secret, saml, oidc, ...rest } = row
  return {
    ...rest,
    _id: id,
    domains: domains.map(presentDomain),
    saml: { ...saml, certificates: saml.certificates.map(presentCertificate) },
    oidc: { ...oidc, hasSecret: secret !== null },
    ours: ourAddresses(config, id),
  }
}

/** What the audit log shows of a connection. */
const audited = (
  { kind, groupsName, provisions, saml, oidc }: rows.ConnectionRow,
  domains: readonly { domain: string }[],
) => ({
  kind,
  domains: domains.map(({ domain }) => domain).join(', '),
  groupsName,
  provisions,
  ...(kind === 'saml'
    ? { saml: `${saml.entityId} ${saml.signInUrl}` }
    : { oidc: `${oidc.issuer} ${oidc.clientId}` }),
})

/** The connection, if there is one, and what an identity provider is to be told of us, which is known before. */
export async function getSso({ db, scope, services: { config } }: SpaceContext) {
  const row = await rows.findConnection(db, scope)
  return {
    sso: row && present(config, row, await listDomains(db, scope)),
    ours: ourAddresses(config, row?.id ?? connectionIdOf(scope)),
  }
}

/**
 * What an identity provider's metadata says, from its address or as text; nothing is saved. Throws `ValidationFailed` for what
 * is no metadata of one identity provider, `SsoUnavailable` when the address does not answer.
 */
export async function readMetadataOf(
  { url, xml }: { url?: string | undefined; xml?: string | undefined },
  services: Services,
): Promise<SsoMetadata> {
  const path = xml === undefined ? 'url' : 'xml'
  const text = xml ?? (await fetchMetadata(readUrl(url ?? '', 'url', services.config), services))
  const { certificates, ...rest } = readIdpMetadata(text, path)
  return { ...rest, certificates: certificates.map((pem) => ({ ...presentCertificate(pem), pem })) }
}

async function fetchMetadata(url: string, services: Services): Promise<string> {
  if (url === '') throw invalid('url', 'Required')
  try {
    return await withOutgoing(services, url, async (http) => {
      const answer = await http.request(url, { method: 'GET', maxBytes: 300_000, timeoutMs: 10_000 })
      if (answer.status !== 200) throw new AppError('SsoUnavailable')
      return answer.text()
    })
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('SsoUnavailable', { cause: error })
  }
}

/** Throws `ValidationFailed` naming the culprit, `VersionConflict`, `InvalidRoleChange`, `SsoIsStillRequired`. */
export async function updateSso(ctx: SpaceContext, input: Input): Promise<SsoConnection> {
  const { config, secrets } = ctx.services
  await lockSpace(ctx, 'security.manage')
  const before = await rows.findConnection(ctx.db, ctx.scope)
  if (input.version !== undefined && input.version !== (before?.version ?? 0))
    throw new AppError('VersionConflict', { details: { current: before?.version ?? 0 } })
  const names = readDomains(input.domains)
  const domainsBefore = await listDomains(ctx.db, ctx.scope)
  const same = before?.kind === input.kind ? before : null
  const id = before?.id ?? connectionIdOf(ctx.scope)
  const saml = {
    entityId: input.saml?.entityId?.trim() ?? same?.saml.entityId ?? '',
    signInUrl: readUrl(input.saml?.signInUrl ?? same?.saml.signInUrl ?? '', 'data.saml.signInUrl', config),
    certificates: withCertificates(same?.saml.certificates ?? [], input.saml?.certificates ?? []),
    idpInitiated: input.saml?.idpInitiated ?? same?.saml.idpInitiated ?? false,
  }
  const oidc = {
    issuer: readUrl(input.oidc?.issuer ?? same?.oidc.issuer ?? '', 'data.oidc.issuer', config),
    clientId: input.oidc?.clientId?.trim() ?? same?.oidc.clientId ?? '',
  }
  const given = input.oidc?.clientSecret
  // The secret goes to nobody but whom it was meant for.
  const keeps = same?.oidc.issuer === oidc.issuer && same.oidc.clientId === oidc.clientId
  const secret = given ? sealSecret(secrets, id, given) : keeps ? same.secret : null
  const wanted: Omit<rows.ConnectionRow, 'spaceId' | 'version'> = {
    id,
    kind: input.kind,
    saml,
    oidc,
    secret: input.kind === 'oidc' ? secret : null,
    groupsName: input.groupsName?.trim() || (before?.groupsName ?? 'groups'),
    provisions: input.provisions ?? before?.provisions ?? true,
    isComplete: false,
  }
  wanted.isComplete = isComplete(wanted)
  if (saysOtherThan(before, wanted)) await requireTrusted(ctx)
  const proven = domainsBefore.filter(({ proof }) => proof !== null)
  const losesDomains = proven.length > 0 && !proven.some(({ domain }) => names.includes(domain))
  if (!wanted.isComplete || losesDomains) await requireNotRequired(ctx)
  const saved = await rows.saveConnection(ctx.db, ctx.scope, wanted)
  const domains = await saveDomains(ctx.db, ctx.scope, names)
  noteAudit(ctx, {
    objectId: id,
    objectName: ctx.space.name,
    ...(before ? { before: audited(before, domainsBefore) } : {}),
    after: audited(saved, domains),
  })
  return present(config, saved, domains)
}

/** Throws 404, `InvalidRoleChange`, `SsoIsStillRequired`. */
export async function deleteSso(ctx: SpaceContext): Promise<void> {
  await lockSpace(ctx, 'security.manage')
  const before = await requireConnection(ctx)
  // Deleted and made anew is changed; a draft gives nobody anything.
  await (before.isComplete ? requireTrusted(ctx) : requireCommandOfLinked(ctx))
  await requireNotRequired(ctx)
  const domains = await listDomains(ctx.db, ctx.scope)
  noteAudit(ctx, { objectId: before.id, objectName: ctx.space.name, before: audited(before, domains) })
  await rows.deleteConnection(ctx.db, ctx.scope)
}

/** Is everything there, and does the identity provider answer? null: yes. */
export async function testSso(ctx: OwnTransactions<SpaceContext>): Promise<SsoProblem | null> {
  const row = await ctx.inSpace(({ db, scope }) => rows.findConnection(db, scope))
  if (!row) throw new AppError('NotFound')
  if (!row.isComplete) return 'incomplete'
  if (row.kind === 'saml') return row.saml.certificates.some(isInForce) ? null : 'certificateEnded'
  const secret = openSecret(ctx.services.secrets, row)
  try {
    await withOutgoing(ctx.services, row.oidc.issuer, (http) => discover(http, row, secret))
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

/** Throws 404, `ValidationFailed`, `InvalidRoleChange`. */
export async function addCertificate(ctx: SpaceContext, text: string): Promise<SsoCertificate[]> {
  const pem = readCertificate(text)
  await lockSpace(ctx, 'security.manage')
  const before = await requireConnection(ctx)
  if (before.kind !== 'saml') throw new AppError('NotFound')
  const certificates = withCertificate(before.saml.certificates, pem)
  const wanted = { ...before, saml: { ...before.saml, certificates } }
  wanted.isComplete = isComplete(wanted)
  if (saysOtherThan(before, wanted)) await requireTrusted(ctx)
  await rows.saveConnection(ctx.db, ctx.scope, wanted)
  const { fingerprint256: fingerprint, validTo } = new X509Certificate(pem)
  const after = { fingerprint, endsAt: new Date(validTo).toISOString() }
  noteAudit(ctx, { objectId: before.id, objectName: ctx.space.name, after })
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

const isComplete = ({ kind, saml, oidc, secret }: Omit<rows.ConnectionRow, 'spaceId' | 'version'>) =>
  kind === 'saml'
    ? saml.entityId !== '' && saml.signInUrl !== '' && saml.certificates.length > 0
    : oidc.issuer !== '' && oidc.clientId !== '' && secret !== null

/** An https address, or of an origin that the operator named; an empty one is filled in later. */
function readUrl(text: string, path: string, { sso }: Config): string {
  if (text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : null
  const isGood =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && sso.privateOrigins.includes(url.origin))
  if (!url || !isGood || url.username || url.password || url.hash) throw invalid(path, 'InvalidFormat')
  return text
}
