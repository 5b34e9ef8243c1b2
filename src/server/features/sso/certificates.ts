import { X509Certificate } from 'node:crypto'
import type { SsoCertificate } from '#shared/contract/sso.ts'
import { invalid } from '#shared/errors.ts'

/** Beside the present one the next. */
const most = 2
const path = 'certificate'

function parse(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

/**
 * A certificate as PEM, or its base64 alone as some identity providers show it. Throws `ValidationFailed` for what is none, for
 * a private key, a key that is too weak, and one that has ended.
 */
export function readCertificate(text: string): string {
  if (/PRIVATE KEY/.test(text)) throw invalid(path, 'InvalidValue')
  const bare = /^[A-Za-z0-9+/=\s]+$/.test(text.trim())
  const pem = bare ? `-----BEGIN CERTIFICATE-----\n${text.trim()}\n-----END CERTIFICATE-----` : text.trim()
  const certificate = parse(pem)
  if (certificate === null) throw invalid(path, 'InvalidFormat')
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey
  if (type !== 'rsa' || (details?.modulusLength ?? 0) < 2048) throw invalid(path, 'InvalidValue')
  if (new Date(certificate.validTo) <= new Date()) throw invalid(path, 'InvalidValue')
  return certificate.toString()
}

/** Is it good today? Its beginning is not looked at: a new one may be signed with before our clock says so. */
export function isInForce(pem: string): boolean {
  const certificate = parse(pem)
  return certificate !== null && new Date(certificate.validTo) > new Date()
}

/** With another one: those that have ended go, and of too many the oldest. */
export function withCertificate(certificates: string[], pem: string): string[] {
  const kept = certificates.filter((one) => one !== pem && isInForce(one))
  return [...kept, pem].slice(-most)
}

/** The same for several texts; what is there already stays where it is. */
export function withCertificates(certificates: string[], texts: readonly string[]): string[] {
  return texts
    .map(readCertificate)
    .reduce((all, pem) => (all.includes(pem) ? all : withCertificate(all, pem)), certificates)
}

export function presentCertificate(pem: string): SsoCertificate {
  const certificate = parse(pem)
  return {
    fingerprint: certificate?.fingerprint256 ?? '',
    subject: certificate?.subject?.replaceAll('\n', ', ') ?? '',
    beginsAt: new Date(certificate?.validFrom ?? 0).toISOString(),
    endsAt: new Date(certificate?.validTo ?? 0).toISOString(),
  }
}
