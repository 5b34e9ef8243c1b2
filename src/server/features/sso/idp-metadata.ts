import { SaxesParser } from 'saxes'
import { invalid } from '#shared/errors.ts'
import { presentCertificate, readCertificate } from './certificates.ts'

/** What an identity provider says of itself, as far as a connection needs it. */
export interface IdpMetadata {
  entityId: string
  /** Where browsers are sent with a request (binding HTTP-Redirect); empty where there is none. */
  signInUrl: string
  /** PEM, those in force, the latest to end last. */
  certificates: string[]
}

/** Elements inside each other, attributes of all elements together, certificates. */
const most = { depth: 20, attributes: 5000, certificates: 20 }

const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/**
 * Reads SAML metadata (OASIS, 2.0) that describes one identity provider. Throws `ValidationFailed` at `path` for what is no
 * such document: broken XML, a document type, no identity provider or several.
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
  const add = (part: string) => {
    text += part
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', ({ local }) => {
    const isKey = local === 'X509Certificate' && open.includes('IDPSSODescriptor') && use !== 'encryption'
    const certificates = found.at(-1)?.certificates
    if (isKey && certificates && certificates.length < most.certificates) certificates.push(text)
    open.pop()
  })
  parser.write(xml.trim()).close()
  const [provider, another] = found
  if (!provider || another || provider.entityId === '') return fail()
  return { ...provider, certificates: inForce(provider.certificates) }
}

/** What can be read and used; others are left out, since the form shows which ones came. */
function inForce(texts: string[]): string[] {
  const read = texts.flatMap((text) => {
    try {
      return [readCertificate(text)]
    } catch {
      return []
    }
  })
  const endOf = (pem: string) => presentCertificate(pem).endsAt
  return [...new Set(read)].sort((a, b) => (endOf(a) < endOf(b) ? -1 : 1))
}
