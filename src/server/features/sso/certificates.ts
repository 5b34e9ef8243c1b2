import { X509Certificate } from 'node:crypto'
import { maximumCertificates, type SsoCertificate } from '#shared/contract/sso.ts'
import { invalid } from '#shared/errors.ts'

/** Parses a certificate. null: not a certificate, or its key or dates cannot be read. */
export function parse(pem: string): X509Certificate | null {
  try {
    const certificate = new X509Certificate(pem)
    const { publicKey, validFrom, validTo } = certificate
    return publicKey && [validFrom, validTo].every((date) => !Number.isNaN(Date.parse(date)))
      ? certificate
      : null
  } catch {
    return null
  }
}

/**
 * Returns a certificate in PEM. Also accepts bare base64, as some identity providers show it. Throws `ValidationFailed`
 * at `path` for an unreadable or expired certificate, for a key other than RSA with at least 2048 bits, and for a
 * private key.
 */
export function readCertificate(text: string, path: string): string {
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

/**
 * Returns whether the certificate can be read and has not expired. The start of its validity is ignored, because this
 * server's clock may be slow.
 */
export function isInForce(pem: string): boolean {
  const certificate = parse(pem)
  return certificate !== null && new Date(certificate.validTo) > new Date()
}

/**
 * Adds certificates after the existing ones, which keep their order. Adding a new certificate removes expired ones.
 * Throws `ValidationFailed` at `path` if the result has more than {@link maximumCertificates}.
 */
export function withCertificates(certificates: string[], pems: readonly string[], path: string): string[] {
  if (pems.every((pem) => certificates.includes(pem))) return certificates
  const all = [...new Set([...certificates.filter(isInForce), ...pems])]
  if (all.length > maximumCertificates) throw invalid(path, 'TooManyItems', { maximum: maximumCertificates })
  return all
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
