import { inflateRawSync } from 'node:zlib'
import type { TestCertificate } from './certificates.ts'
import type { TestAccount } from './factories.ts'
import { type ResponseParts, signedResponse } from './saml-response.ts'
import { type Answer, type Client, ok } from './server.ts'

export const idp = 'https://idp.example.com/saml'
export const signInUrl = 'https://idp.example.com/sign-in'

/** Entity id and ACS URL of a space, for the identity provider. */
export interface Ours {
  entityId: string
  acsUrl: string
}

/** Values of a sign-in request, which the response repeats. */
export interface SamlBegun {
  requestId: string | null
  state: string
}

/** Reads the SAML request from the URL that sends the browser to the identity provider. */
export function readRequest(url: string): SamlBegun {
  const { searchParams } = new URL(url)
  const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  return { requestId: /\sID="([^"]+)"/.exec(request)?.[1] ?? '', state: searchParams.get('RelayState') ?? '' }
}

let count = 0

/** Returns the parts of a valid response to the request, with the changes in `more`. */
export const answerTo = (
  { entityId, acsUrl }: Ours,
  signer: TestCertificate,
  { requestId }: Pick<SamlBegun, 'requestId'>,
  more: Partial<ResponseParts> = {},
): ResponseParts => ({
  signer,
  issuer: idp,
  destination: acsUrl,
  recipient: acsUrl,
  audience: entityId,
  inResponseTo: requestId,
  nameId: 'u-1',
  nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  attributes: { email: ['saku@example.com'] },
  notBefore: -5,
  notOnOrAfter: 300,
  confirmedUntil: 300,
  id: `_answer${++count}`,
  signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  change: (xml) => xml,
  ...more,
})

/**
 * Posts a response as the identity provider's page does. Returns the path to which the browser is redirected, or the
 * text of a response without a redirect.
 */
export async function postResponse(
  client: Client,
  { acsUrl }: Ours,
  xml: string,
  state: string,
): Promise<string> {
  const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: state })
  const type = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example.com' }
  const answer = await client.send('POST', new URL(acsUrl).pathname, form.toString(), type)
  return answer.status === 303 ? String(answer.headers.location).replace(/^http:\/\/[^/]+/, '') : answer.text
}

/** Finishes a sign-in or an SSO test that began with this URL, with a response of the identity provider. */
export async function finishSaml(
  client: Client,
  ours: Ours,
  { url, signer, ...more }: { url: string; signer: TestCertificate } & Partial<ResponseParts>,
): Promise<Answer> {
  const begun = readRequest(url)
  const xml = signedResponse(answerTo(ours, signer, begun, more))
  const code = (await postResponse(client, ours, xml, begun.state)).split('#')[1]
  return client.post('/api/auth/sso/finish', { code })
}

/** Signs in by SAML, as in a browser. */
export async function signInBySaml(
  client: Client,
  space: { uid: string },
  ours: Ours,
  parts: { signer: TestCertificate } & Partial<ResponseParts>,
): Promise<Answer> {
  const { url } = ok(await client.post('/api/auth/sso', { space: space.uid }))
  return finishSaml(client, ours, { url, ...parts })
}

/** Connects the space by SAML, with the domain example.com confirmed by an admin of the installation. */
export async function connectSaml(
  { client }: TestAccount,
  { url }: { url: string },
  certificates: string[],
  more: object = {},
): Promise<Ours> {
  const saml = { entityId: idp, signInUrl, certificates, ...more }
  const data = { kind: 'saml', domains: ['example.com'], saml }
  const { sso } = ok(await client.put(`${url}/sso`, { data }))
  ok(await client.post(`${url}/sso/domain:confirm`, { domain: 'example.com' }))
  return sso.ours
}
