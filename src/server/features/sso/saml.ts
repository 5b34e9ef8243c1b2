import { randomBytes } from 'node:crypto'
import type { Profile, SAML } from '@node-saml/node-saml'
import type { Config } from '#server/config.ts'
import type { SsoRefusalReason } from '#shared/contract/sso.ts'
import { ourAddresses } from './addresses.ts'
import { isInForce } from './certificates.ts'
import { type Claims, groupsOf, longest, refused, textOf } from './claims.ts'
import type { ConnectionRow } from './sso.repository.ts'

/** What an answer by SAML is checked against. */
export interface SamlRequest {
  /** null: the identity provider began. */
  requestId: string | null
}

/** An assertion that was checked, but for being used a second time. */
export interface SamlAnswer {
  claims: Claims
  assertionId: string
  endsAt: Date
}

/** Clocks may differ by so much. */
const skewMs = 120_000
/** An assertion is no session: it is used at once, whatever it says of its end. */
const maximumAgeMs = 3_600_000

/** Its library is loaded when somebody signs in by it, not with every start. */
async function provider(config: Config, { id, saml }: ConnectionRow, request: SamlRequest): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml')
  const { entityId, acsUrl } = ourAddresses(config, id)
  const { requestId } = request
  return new SAML({
    callbackUrl: acsUrl,
    entryPoint: saml.signInUrl,
    issuer: entityId,
    audience: entityId,
    idpIssuer: saml.entityId,
    idpCert: saml.certificates.filter(isInForce),
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    signatureAlgorithm: 'sha256',
    disableRequestedAuthnContext: true,
    identifierFormat: null,
    acceptedClockSkewMs: skewMs,
    maxAssertionAgeMs: maximumAgeMs,
    validateInResponseTo: requestId === null ? ValidateInResponseTo.never : ValidateInResponseTo.always,
    generateUniqueId: () => requestId ?? newRequestId(),
    // The sign-in itself remembers what was asked (sign-ins.repository.ts); it is found by its state, once.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (key) => (key === requestId ? new Date().toISOString() : null),
      removeAsync: async () => null,
    },
  })
}

export const newRequestId = () => `_${randomBytes(20).toString('hex')}`

/** Where the browser is sent with the request of that id. */
export async function samlUrl(
  config: Config,
  connection: ConnectionRow,
  { requestId, state }: { requestId: string; state: string },
): Promise<string> {
  const saml = await provider(config, connection, { requestId })
  return saml.getAuthorizeUrlAsync(state, undefined, {})
}

/** What an identity provider's administrator loads into it. */
export function samlMetadata(config: Config, connectionId: string): string {
  const { entityId, acsUrl } = ourAddresses(config, connectionId)
  return `<?xml version="1.0" encoding="UTF-8"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</NameIDFormat>
    <NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</NameIDFormat>
    <AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${acsUrl}" index="0" isDefault="true"/>
  </SPSSODescriptor>
</EntityDescriptor>
`
}

const algorithms = new Set([
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
])

/**
 * What takes no longer than others may wait: canonicalisation and parsing take the square of the elements, and of those around each.
 * Somebody in 500 groups, of whom each has its own declarations of namespaces, comes to 600 elements and 2,000 attributes.
 */
const most = { elements: 800, attributes: 3_000, attributesOfOne: 30, depth: 20 }

/** Throws unless it is made of whole tags, of no more of them and no deeper than {@link most}. */
function checkSize(xml: string): void {
  const tags = xml.match(/<[^<>"']*(?:"[^"<]*"[^<>"']*|'[^'<]*'[^<>"']*)*>/g) ?? []
  if (tags.length !== xml.split('<').length - 1) throw refused('malformed', 'a tag that is not closed')
  let [elements, attributes, depth] = [0, 0, 0]
  for (const tag of tags) {
    if (tag.startsWith('</')) depth--
    else if (!tag.startsWith('<?')) {
      elements++
      if (!tag.endsWith('/>')) depth++
    }
    const own = tag.match(/=\s*["']/g)?.length ?? 0
    attributes += own
    if (elements > most.elements || depth > most.depth) throw refused('malformed', 'too many elements')
    if (attributes > most.attributes || own > most.attributesOfOne)
      throw refused('malformed', 'too many attributes')
  }
}

/**
 * Refuses what no honest answer has before anything parses it: markup declarations and comments (DTDs, entities, names that
 * are cut at a comment), more than one response or assertion (signatures that are wrapped), ids that repeat, and algorithms
 * that are weak or keyed otherwise. Without declarations, comments and CDATA every `<` begins a tag, so tags can be counted.
 */
function checkShape(xml: string): void {
  if (xml.includes('\ufffd')) throw refused('malformed', 'not UTF-8')
  if (xml.includes('<!')) throw refused('malformed', 'a declaration, a comment or CDATA')
  if (/<\?(?!xml\s)/.test(xml) || xml.lastIndexOf('<?') > 0)
    throw refused('malformed', 'a processing instruction')
  checkSize(xml)
  const count = (name: string) =>
    [...xml.matchAll(new RegExp(`<(?:[\\w.-]+:)?${name}(?=[\\s/>])`, 'g'))].length
  if (count('Response') !== 1 || !/^(?:<\?[^>]*\?>)?\s*<(?:[\w.-]+:)?Response[\s>]/.test(xml))
    throw refused('malformed', 'not one response')
  if (count('Assertion') !== 1) throw refused('malformed', 'not one assertion')
  if (count('EncryptedAssertion') > 0 || count('EncryptedID') > 0) throw refused('encrypted', 'encrypted')
  if (count('Signature') > 2) throw refused('malformed', 'too many signatures')
  const ids = [...xml.matchAll(/\s(?:ID|Id|id)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map((id) => id[1] ?? id[2])
  if (new Set(ids).size !== ids.length) throw refused('malformed', 'an id twice')
  for (const [, double, single] of xml.matchAll(/\sAlgorithm\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    if (!algorithms.has(double ?? single ?? ''))
      throw refused('algorithm', 'an algorithm that is not allowed')
  // Keys are those that the space's admin gave us, never one that comes along.
}

/**
 * Reads a `SAMLResponse`. Everything is taken from the assertion whose signature was checked, as it was signed. Throws
 * `SsoRefused`.
 */
export async function readSamlResponse(
  config: Config,
  connection: ConnectionRow,
  response: string,
  request: SamlRequest,
): Promise<SamlAnswer> {
  checkShape(Buffer.from(response, 'base64').toString('utf8'))
  const saml = await provider(config, connection, request)
  const { profile } = await saml
    .validatePostResponseAsync({ SAMLResponse: response })
    .catch((error: unknown) => {
      throw refused(reasonOf(error), 'not valid', error)
    })
  if (!profile) throw refused('malformed', 'no profile')
  const { acsUrl, entityId } = ourAddresses(config, connection.id)
  const assertion = read(profile.getAssertion?.()).Assertion
  const { $, Issuer, Subject, Conditions, AuthnStatement } = read(first(assertion))
  if (textIn(Issuer) !== connection.saml.entityId) throw refused('issuer', 'another issuer')
  const { destination, status } = aroundOf(profile)
  if (destination !== undefined && destination !== acsUrl) throw refused('destination', 'another destination')
  if (status !== 'urn:oasis:names:tc:SAML:2.0:status:Success') throw refused('status', 'a failure')
  checkConfirmation(read(first(Subject)).SubjectConfirmation, acsUrl, request)
  const conditions = read(first(Conditions))
  const restrictions = listOf(conditions.AudienceRestriction)
  const isForUs = (restriction: unknown) =>
    listOf(read(restriction).Audience).some((one) => textIn(one) === entityId)
  if (restrictions.length === 0 || !restrictions.every(isForUs)) throw refused('audience', 'another audience')
  const endsAt = timeIn(conditions.$, 'NotOnOrAfter')
  if (endsAt === null) throw refused('malformed', 'conditions without an end')
  if (listOf(AuthnStatement).length === 0) throw refused('malformed', 'nobody was authenticated')
  const assertionId = read($).ID
  if (typeof assertionId !== 'string' || assertionId === '') throw refused('malformed', 'no id')
  const kept = new Date(Math.min(endsAt.getTime(), Date.now() + 2 * maximumAgeMs) + skewMs)
  return { claims: claimsOf(connection, profile, first(Subject)), assertionId, endsAt: kept }
}

/** What the library found wrong, which it says in words alone. */
function reasonOf(error: unknown): SsoRefusalReason {
  const message = error instanceof Error ? error.message : ''
  return reasonsByWords.find(([words]) => words.test(message))?.[1] ?? 'malformed'
}

const reasonsByWords: [RegExp, SsoRefusalReason][] = [
  [/status code/i, 'status'],
  [/InResponseTo/i, 'request'],
  [/audience/i, 'audience'],
  [/issuer/i, 'issuer'],
  [/expired|not yet valid|skewed/i, 'expired'],
  [/signature|certificate/i, 'signature'],
]

/** One confirmation at least: by bearer, for our address, not ended, and for what we asked. */
function checkConfirmation(confirmations: unknown, acsUrl: string, { requestId }: SamlRequest): void {
  const isGood = (confirmation: unknown) => {
    const { $, SubjectConfirmationData } = read(confirmation)
    if (read($).Method !== 'urn:oasis:names:tc:SAML:2.0:cm:bearer') return false
    const data = read(read(first(SubjectConfirmationData)).$)
    const endsAt = timeIn(data, 'NotOnOrAfter')
    if (data.Recipient !== acsUrl || endsAt === null || data.NotBefore !== undefined) return false
    if (endsAt.getTime() + skewMs <= Date.now()) return false
    return requestId === null ? data.InResponseTo === undefined : data.InResponseTo === requestId
  }
  const list = listOf(confirmations)
  if (list.length === 0 || !list.every(isGood)) throw refused('destination', 'no confirmation for us')
}

function claimsOf({ saml, groupsName }: ConnectionRow, profile: Profile, subject: unknown): Claims {
  const name = read(first(read(subject).NameID))
  const format = read(name.$).Format
  // One that changes with each sign-in says who nobody is.
  if (format === 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient')
    throw refused('subject', 'a transient name')
  const nameId = textOf(name._, longest.subject)
  if (nameId === null || nameId !== name._) throw refused('subject', 'no name')
  const attributes = read(profile.attributes)
  const attribute = (...names: string[]) =>
    names.map((one) => first(attributes[one])).find((one) => one !== undefined)
  const email = attribute(...emailNames) ?? (nameId.includes('@') ? nameId : null)
  const given = [attribute(...givenNames), attribute(...familyNames)].flatMap((one) => textOf(one, 50) ?? [])
  return {
    issuer: saml.entityId,
    subject: nameId,
    email: textOf(email, longest.email),
    name: textOf(attribute(...fullNames), longest.name) ?? given.reverse().join(' '),
    groups: groupsOf(attributes[groupsName]),
  }
}

/** As the usual identity providers name them. */
const emailNames = [
  'email',
  'mail',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
]
const fullNames = [
  'displayName',
  'name',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'urn:oid:2.16.840.1.113730.3.1.241',
]
const givenNames = [
  'firstName',
  'givenName',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
  'urn:oid:2.5.4.42',
]
const familyNames = [
  'lastName',
  'surname',
  'sn',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
  'urn:oid:2.5.4.4',
]

/* What the parser made of XML: `$` holds attributes, `_` the text, every child is a list. */

type Node = Record<string, unknown>
const read = (value: unknown): Node => (typeof value === 'object' && value !== null ? (value as Node) : {})
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)
const textIn = (value: unknown): unknown => {
  const one = first(value)
  return typeof one === 'string' ? one : read(one)._
}

function timeIn(attributes: unknown, name: string): Date | null {
  const text = read(attributes)[name]
  const time = typeof text === 'string' ? new Date(text) : null
  return time === null || Number.isNaN(time.getTime()) ? null : time
}

/** The response around the assertion may be unsigned: what it says can only keep an answer out. */
function aroundOf(profile: Profile): { destination: string | undefined; status: string | undefined } {
  const xml = profile.getSamlResponseXml?.() ?? ''
  const attributeOf = (element: string, name: string) => {
    const [tag = ''] = new RegExp(`<(?:[\\w.-]+:)?${element}(?=[\\s/>])[^>]*>`).exec(xml) ?? []
    const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? []
    return double ?? single
  }
  return { destination: attributeOf('Response', 'Destination'), status: attributeOf('StatusCode', 'Value') }
}
