import { SaxesParser } from 'saxes'
import { invalid } from '#shared/errors.ts'
import { readCertificate, withCertificates } from './certificates.ts'

/** The part of an identity provider's metadata that a connection needs. */
export interface IdpMetadata {
  entityId: string
  /** URL for requests with the binding HTTP-Redirect; empty if the provider has none. */
  signInUrl: string
  /** Usable certificates in PEM, in the order of the document. */
  certificates: string[]
  /** Number of other certificates: expired, unreadable, or without an RSA key of at least 2,048 bits. */
  unusable: number
}

/** Maximum nesting depth, number of attributes in all elements together, and number of certificates (usable or not). */
const most = { depth: 20, attributes: 5000, certificates: 50 }

const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/**
 * Reads the SAML metadata (OASIS, 2.0) of one identity provider. Throws `ValidationFailed` at `path` for other
 * documents (invalid XML, a document type, no identity provider or several, no entity id). Throws it also if a limit of
 * {@link most} or the limit of usable certificates ({@link withCertificates}) is exceeded.
 */
export function readIdpMetadata(xml: string, path: string): IdpMetadata {
  const parser = new SaxesParser({ xmlns: true })
  const found: { entityId: string; signInUrl: string; certificates: string[] }[] = []
  const open: string[] = []
  let [entityId, attributes, use, text] = ['', 0, '', '']
  const fail = (): never => {
    throw invalid(path, 'InvalidFormat')
  }
  parser.on('error', fail)
  parser.on('doctype', fail)
  parser.on('opentag', ({ local, attributes: given }) => {
    attributes += Object.keys(given).length
    if (open.length >= most.depth || attributes > most.attributes) fail()
    const attribute = (name: string) => given[name]?.value ?? ''
    open.push(local)
    text = ''
    if (local === 'EntityDescriptor') entityId = attribute('entityID')
    if (local === 'IDPSSODescriptor') found.push({ entityId, signInUrl: '', certificates: [] })
    if (!open.includes('IDPSSODescriptor')) return
    const provider = found.at(-1)
    if (local === 'KeyDescriptor') use = attribute('use')
    if (provider && local === 'SingleSignOnService' && attribute('Binding') === redirectBinding)
      provider.signInUrl ||= attribute('Location')
  })
  /** Adds a certificate, unless it is already listed: some documents contain a certificate once per use. */
  const addKey = (certificate: string) => {
    const certificates = found.at(-1)?.certificates ?? []
    if (certificates.includes(certificate)) return
    certificates.push(certificate)
    if (certificates.length > most.certificates)
      throw invalid(path, 'TooManyItems', { maximum: most.certificates })
  }
  const add = (part: string) => {
    text += part
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', ({ local }) => {
    const isKey = local === 'X509Certificate' && open.includes('IDPSSODescriptor') && use !== 'encryption'
    if (isKey) addKey(text.replace(/\s+/g, ''))
    open.pop()
  })
  parser.write(xml.trim()).close()
  const [provider, another] = found
  if (!provider || another || provider.entityId === '') return fail()
  const usable = usableOf(provider.certificates)
  return {
    ...provider,
    certificates: withCertificates([], usable, path),
    unusable: provider.certificates.length - usable.length,
  }
}

const usableOf = (texts: string[]): string[] =>
  texts.flatMap((text) => {
    try {
      return [readCertificate(text, 'certificate')]
    } catch {
      return []
    }
  })
