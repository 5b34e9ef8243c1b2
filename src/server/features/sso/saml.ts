import { randomBytes } from 'node:crypto'
import type { Profile, SAML } from '@node-saml/node-saml'
import type { Config } from '#server/config.ts'
import type { SsoRefusalReason } from '#shared/contract/sso.ts'
import { ourAddresses } from './addresses.ts'
import { type Claims, refused } from './claims.ts'
import { claimsOf } from './saml-claims.ts'
import { first, listOf, read, textIn, timeIn } from './saml-nodes.ts'
import { checkAssertionIsSigned, signerOf } from './signers.ts'
import type { ConnectionRow } from './sso.repository.ts'

/** The values that a SAML answer is checked against. */
export interface SamlRequest {
  /** null: the sign-in began at the identity provider. */
  requestId: string | null
}

/** A verified assertion. Whether it was used before is not checked yet. */
export interface SamlAnswer {
  claims: Claims
  assertionId: string
  endsAt: Date
}

/** Tolerated clock difference in ms. */
const skewMs = 120_000
/** Maximum age of an assertion in ms, whatever its own expiry. */
const maximumAgeMs = 3_600_000

/**
 * Creates the library's object for a connection. The library is loaded at the first sign-in by SAML, not at every
 * start.
 */
async function provider(
  config: Config,
  { id, saml }: ConnectionRow,
  request: SamlRequest,
  certificates = saml.certificates,
): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml')
  const { entityId, acsUrl } = ourAddresses(config, id)
  const { requestId } = request
  return new SAML({
    callbackUrl: acsUrl,
    entryPoint: saml.signInUrl,
    issuer: entityId,
    audience: entityId,
    idpIssuer: saml.entityId,
    idpCert: certificates,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    signatureAlgorithm: 'sha256',
    disableRequestedAuthnContext: true,
    identifierFormat: null,
    acceptedClockSkewMs: skewMs,
    maxAssertionAgeMs: maximumAgeMs,
    validateInResponseTo: requestId === null ? ValidateInResponseTo.never : ValidateInResponseTo.always,
    generateUniqueId: () => requestId ?? newRequestId(),
    // The request is stored with the sign-in (sign-ins.repository.ts), which can be found by its state only once.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (key) => (key === requestId ? new Date().toISOString() : null),
      removeAsync: async () => null,
    },
  })
}

export const newRequestId = () => `_${randomBytes(20).toString('hex')}`

/** Returns the URL for the browser, which contains a request with the id `requestId`. */
export async function samlUrl(
  config: Config,
  connection: ConnectionRow,
  { requestId, state }: { requestId: string; state: string },
): Promise<string> {
  const saml = await provider(config, connection, { requestId })
  return saml.getAuthorizeUrlAsync(state, undefined, {})
}

/** Returns this installation's metadata, for the admin of an identity provider. */
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
 * Limits that keep parsing fast enough not to delay other requests: canonicalisation and parsing are quadratic in the
 * number and nesting of elements. The response for a user in 500 groups, each with its own namespace declarations, has
 * about 600 elements and 2,000 attributes.
 */
const most = { elements: 800, attributes: 3_000, attributesOfOne: 30, depth: 20 }

/** Throws `SsoRefused` if a tag is not closed or a limit in {@link most} is exceeded. */
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
 * Refuses, before parsing, a response with parts that no legitimate response contains or that are not supported:
 * - markup declarations, comments and processing instructions (DTDs, entities, names truncated at a comment)
 * - several responses or assertions (signature wrapping)
 * - encrypted assertions and names
 * - duplicate ids
 * - algorithms that are not in `algorithms`, such as SHA-1 and HMAC
 *
 * Without declarations, comments and CDATA, every `<` begins a tag. So `checkSize` can count the tags.
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
  if (count('EncryptedAssertion') > 0 || count('EncryptedID') > 0) throw refused('encrypted', 'encrypted')
  if (count('Assertion') === 0) checkStatus(xml)
  if (count('Assertion') !== 1) throw refused('malformed', 'not one assertion')
  if (count('Signature') > 2) throw refused('malformed', 'too many signatures')
  const ids = [...xml.matchAll(/\s(?:ID|Id|id)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map((id) => id[1] ?? id[2])
  if (new Set(ids).size !== ids.length) throw refused('malformed', 'an id twice')
  for (const [, double, single] of xml.matchAll(/\sAlgorithm\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    if (!algorithms.has(double ?? single ?? ''))
      throw refused('algorithm', 'an algorithm that is not allowed')
  // Keys in the response need no check, because {@link signerOf} only returns certificates from the settings of the
  // space.
}

/**
 * Refuses the answer of an identity provider that reports a failure. The status is unsigned, so it only determines the
 * reason that is shown.
 */
function checkStatus(xml: string): void {
  // The name is cut from the whole value, because a pattern that ends with it takes quadratic time.
  const codes = [...xml.matchAll(/<(?:[\w.-]+:)?StatusCode\s([^>]*)/g)].slice(0, 2)
  const names = codes.flatMap(([, attributes = '']) => {
    const value = /(?:^|\s)Value\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1]
    return value === undefined ? [] : value.slice(value.lastIndexOf(':') + 1).slice(0, 100)
  })
  if (names.length === 0 || names[0] === 'Success') return
  const [, message = ''] = /<(?:[\w.-]+:)?StatusMessage(?:\s[^>]*)?>([^<]*)/.exec(xml) ?? []
  throw refused('status', [`a failure: ${names.join(', ')}`, message.trim()].filter(Boolean).join(': '))
}

/** Reads a `SAMLResponse`. All claims come from the verified, signed assertion. Throws `SsoRefused`. */
export async function readSamlResponse(
  config: Config,
  connection: ConnectionRow,
  response: string,
  request: SamlRequest,
): Promise<SamlAnswer> {
  const profile = await verify(config, connection, response, request)
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
  return { claims: claimsOf(connection.saml, profile, first(Subject)), assertionId, endsAt: kept }
}

async function verify(
  config: Config,
  connection: ConnectionRow,
  response: string,
  request: SamlRequest,
): Promise<Profile> {
  const xml = textOfResponse(response)
  checkShape(xml)
  checkAssertionIsSigned(xml)
  const signer = signerOf(xml, connection.saml.certificates)
  const saml = await provider(config, connection, request, [signer])
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response })
    if (profile) return profile
    throw new Error('There is no profile')
  } catch (error) {
    throw refused(reasonOf(error), 'not valid', error)
  }
}

const textOfResponse = (response: string) => Buffer.from(response, 'base64').toString('utf8')

/**
 * Returns whether the response answers no request. The response is not verified, so the result may only be used for the
 * reason of a refusal.
 */
export const isUnsolicited = (response: string): boolean => {
  const xml = textOfResponse(response)
  return xml.includes('Response') && !/\sInResponseTo\s*=/.test(xml)
}

/** Returns the reason for an error of the library, whose errors contain only messages. */
function reasonOf(error: unknown): SsoRefusalReason {
  const message = error instanceof Error ? error.message : ''
  return reasonsByWords.find(([words]) => words.test(message))?.[1] ?? 'malformed'
}

const reasonsByWords: [RegExp, SsoRefusalReason][] = [
  [/status code/i, 'status'],
  [/InResponseTo/i, 'request'],
  [/audience/i, 'audience'],
  [/issuer/i, 'issuer'],
  [/not yet valid/i, 'notYetValid'],
  // The library reports an expired subject confirmation as a missing valid one.
  [/expired|skewed|subject confirmation/i, 'expired'],
  [/signature|certificate/i, 'signature'],
]

/**
 * Requires at least one confirmation. Each must use the bearer method, name `acsUrl`, and have an unexpired
 * `NotOnOrAfter` and no `NotBefore`. Each must answer the request, or no request if `requestId` is null. Throws
 * `SsoRefused`.
 */
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

/** Returns attributes of the response around the assertion. They may be unsigned, so they can only cause a refusal. */
function aroundOf(profile: Profile): { destination: string | undefined; status: string | undefined } {
  const xml = profile.getSamlResponseXml?.() ?? ''
  const attributeOf = (element: string, name: string) => {
    const [tag = ''] = new RegExp(`<(?:[\\w.-]+:)?${element}(?=[\\s/>])[^>]*>`).exec(xml) ?? []
    const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag) ?? []
    return double ?? single
  }
  return { destination: attributeOf('Response', 'Destination'), status: attributeOf('StatusCode', 'Value') }
}
