import { constants, publicDecrypt, type X509Certificate } from 'node:crypto'
import { isInForce, parse, presentCertificate } from './certificates.ts'
import { refused } from './claims.ts'

/** Maximum number of certificates that are read from a response: its own, its assertion's, and the chains of both. */
const mostNamed = 6

/** Matches the certificates that a response says it is signed with. They are unverified. */
const named = /<(?:[\w.-]+:)?X509Certificate(?:\s[^>]*)?>([^<]+)</g

const assertion = /<(?:[\w.-]+:)?Assertion[\s>]/
const signature = /<(?:[\w.-]+:)?Signature[\s>]/
const signatureValue = /<(?:[\w.-]+:)?SignatureValue(?:\s[^>]*)?>([^<]+)</

/**
 * Returns the registered certificate for verifying the assertion: one that has not expired and whose key made the
 * signature value. Only one is tried, because any visitor can send responses and verifying a large one takes a while.
 * Throws `SsoRefused` if no certificate can be the signer.
 */
export function signerOf(xml: string, registered: readonly string[]): string {
  const inForce = registered.filter(isInForce)
  if (inForce.length === 0) throw refused('certificateEnded', 'all registered certificates have expired')
  const value = signatureValueOf(xml)
  const signer = inForce.find((pem) => hasMade(pem, value))
  if (signer) return signer
  const ended = registered.find((pem) => hasMade(pem, value))
  if (ended) throw refused('certificateEnded', `signed with ${called(ended)}`)
  const certificates = [...xml.matchAll(named)]
    .slice(0, mostNamed)
    .flatMap(([, text = '']) => parse(pemOf(text)) ?? [])
  const [first] = certificates
  const isNamed = (pem: string) => certificates.some((one) => haveSameKey(one, parse(pem)))
  if (first && !registered.some(isNamed))
    throw refused('unknownCertificate', `signed with ${called(first.toString())}`)
  throw refused('signature', 'not signed with the key of a registered certificate')
}

/** Throws `SsoRefused` for an assertion that is not signed itself. */
export function checkAssertionIsSigned(xml: string): void {
  const [begin, end] = [xml.search(assertion), xml.search(/<\/(?:[\w.-]+:)?Assertion[\s>]/)]
  if (signature.test(xml.slice(begin, end))) return
  const isOnResponse = signature.test(xml)
  throw refused(
    'assertionNotSigned',
    isOnResponse ? 'only the response is signed, not the assertion' : 'nothing is signed',
  )
}

/** Returns the signature value of the assertion. Some Java libraries end its lines with `&#13;`. */
function signatureValueOf(xml: string): Buffer {
  const [, text = ''] = signatureValue.exec(xml.slice(xml.search(assertion))) ?? []
  return Buffer.from(text.replace(/&#x?[\da-f]+;/gi, ''), 'base64')
}

/**
 * Returns whether `value`, an RSA signature, was made with the key of the certificate, for any signed text. Decrypted
 * with another key, it has no valid PKCS #1 padding (RFC 8017, 8.2.2). The check takes microseconds, and does not
 * verify the text.
 */
function hasMade(pem: string, value: Buffer): boolean {
  const key = parse(pem)?.publicKey
  try {
    return key !== undefined && publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, value).length > 0
  } catch {
    return false
  }
}

const pemOf = (text: string) =>
  `-----BEGIN CERTIFICATE-----\n${text.replace(/\s+/g, '')}\n-----END CERTIFICATE-----`

const haveSameKey = (one: X509Certificate, other: X509Certificate | null) =>
  other?.publicKey.equals(one.publicKey) ?? false

function called(pem: string): string {
  const { fingerprint, endsAt } = presentCertificate(pem)
  return `the certificate ${fingerprint}, valid until ${endsAt.slice(0, 10)}`
}
