import type { Profile } from '@node-saml/node-saml'
import { type Claims, emailOf, groupsOf, longest, nameOf, refused, textOf } from './claims.ts'
import { first, type Node, read } from './saml-nodes.ts'
import type { SamlSettings } from './sso.repository.ts'

/**
 * Returns the claims of a verified assertion. `subject`: its `Subject` element. Throws `SsoRefused` for a subject that
 * does not identify a user.
 */
export function claimsOf(saml: SamlSettings, profile: Profile, subject: unknown): Claims {
  const name = read(first(read(subject).NameID))
  const format = read(name.$).Format
  // A transient name differs at each sign-in, so it does not identify a user.
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
    ...emailOf(email),
    name: nameOf(attribute(...fullNames)) || nameOf(given.reverse().join(' ')),
    ...groupsIn(attributes, saml.groupsName),
  }
}

/** For users in more than 150 groups, Entra ID sends this link instead of the groups. */
const linkToGroups = 'http://schemas.microsoft.com/claims/groups.link'

function groupsIn(attributes: Node, name: string): Pick<Claims, 'groups' | 'groupsProblem'> {
  const found = groupsOf(attributes[name])
  const isElsewhere = found.groupsProblem === 'missing' && attributes[linkToGroups] !== undefined
  return isElsewhere ? { ...found, groupsProblem: 'overage' } : found
}

/** Attribute names of common identity providers. */
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
