import { SignedXml } from 'xml-crypto'
import type { TestCertificate } from './certificates.ts'

/** The parts of a response. Tests of invalid responses override a value or change the text. */
export interface ResponseParts {
  signer: TestCertificate
  issuer: string
  destination: string
  recipient: string
  audience: string
  inResponseTo: string | null
  nameId: string
  nameIdFormat: string
  attributes: Record<string, string[]>
  /** `notBefore`, `notOnOrAfter` and `confirmedUntil` are in seconds from now. */
  notBefore: number
  notOnOrAfter: number
  confirmedUntil: number
  id: string
  signatureAlgorithm: string
  digestAlgorithm: string
  /** Changes the assertion before it is signed. */
  change: (xml: string) => string
}

const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const attribute = (name: string, value: string | null) => (value === null ? '' : ` ${name}="${value}"`)

export const assertionOf = (parts: ResponseParts): string =>
  parts.change(
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${parts.id}" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${parts.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${parts.nameIdFormat}">${parts.nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData${attribute('InResponseTo', parts.inResponseTo)} NotOnOrAfter="${at(parts.confirmedUntil)}" Recipient="${parts.recipient}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(parts.notBefore)}" NotOnOrAfter="${at(parts.notOnOrAfter)}"><saml:AudienceRestriction><saml:Audience>${parts.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${Object.entries(
      parts.attributes,
    )
      .map(
        ([name, values]) =>
          `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
      )
      .join('')}</saml:AttributeStatement></saml:Assertion>`,
  )

/** Signs an element of the text, found by its local name. */
export function signElement(
  xml: string,
  name: 'Assertion' | 'Response',
  {
    signer,
    signatureAlgorithm,
    digestAlgorithm,
  }: Pick<ResponseParts, 'signer' | 'signatureAlgorithm' | 'digestAlgorithm'>,
): string {
  const signed = new SignedXml({
    privateKey: signer.key,
    publicCert: signer.certificate,
    signatureAlgorithm,
    canonicalizationAlgorithm: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  })
  const xpath = `//*[local-name(.)='${name}']`
  signed.addReference({
    xpath,
    digestAlgorithm,
    transforms: [
      'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
      'http://www.w3.org/2001/10/xml-exc-c14n#',
    ],
  })
  const reference = `${xpath}/*[local-name(.)='Issuer']`
  signed.computeSignature(xml, { prefix: 'ds', location: { reference, action: 'after' } })
  return signed.getSignedXml()
}

/** Returns a response that contains these assertions. */
export const responseAround = (
  { destination, inResponseTo, issuer }: Pick<ResponseParts, 'destination' | 'inResponseTo' | 'issuer'>,
  inside: string,
): string =>
  `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_response" Version="2.0" IssueInstant="${at(0)}"${attribute('Destination', destination || null)}${attribute('InResponseTo', inResponseTo)}><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>${inside}</samlp:Response>`

/** Returns a valid response with a signed assertion. */
export const signedResponse = (parts: ResponseParts): string =>
  responseAround(parts, signElement(assertionOf(parts), 'Assertion', parts))
