/*
 * The supported attributes of SCIM resources (RFC 7643), for filters, PATCH paths, bodies and the document at
 * `/Schemas`. Other attributes from a directory are not stored, because they would be personal data without a use.
 */

export interface Attribute {
  name: string
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex'
  description: string
  multi?: true
  required?: true
  caseExact?: true
  mutability?: 'readOnly'
  uniqueness?: 'server'
  sub?: readonly Attribute[]
}

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

const text = (name: string, description: string, rest: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...rest,
})

const id = text('id', 'The identifier that this service gives.', { caseExact: true, mutability: 'readOnly' })
const externalId = text('externalId', 'The identifier that the client gives.', { caseExact: true })
const meta: Attribute = {
  name: 'meta',
  type: 'complex',
  description: 'Facts of the resource itself.',
  mutability: 'readOnly',
  sub: [
    text('resourceType', 'User or Group.', { caseExact: true, mutability: 'readOnly' }),
    { name: 'created', type: 'dateTime', description: 'When it was made.', mutability: 'readOnly' },
    { name: 'lastModified', type: 'dateTime', description: 'When it was changed.', mutability: 'readOnly' },
    text('version', 'As in the header ETag.', { caseExact: true, mutability: 'readOnly' }),
    { name: 'location', type: 'reference', description: 'Its address.', mutability: 'readOnly' },
  ],
}

/** Attributes of every resource, which `/Schemas` does not list. */
const common = [id, externalId, meta]

const ownUserAttributes: readonly Attribute[] = [
  text('userName', 'What the directory knows them by.', { required: true, uniqueness: 'server' }),
  {
    name: 'name',
    type: 'complex',
    description: 'The parts of their name.',
    sub: [
      text('formatted', 'The whole name, to be shown.'),
      text('familyName', 'Family name.'),
      text('givenName', 'Given name.'),
      text('middleName', 'Middle names.'),
    ],
  },
  text('displayName', 'Their name, to be shown.'),
  text('preferredLanguage', 'In which language mail is written to them: ja or en.'),
  text('locale', 'Used where there is no preferredLanguage.'),
  { name: 'active', type: 'boolean', description: 'Are they a member of the space?' },
  {
    name: 'emails',
    type: 'complex',
    multi: true,
    description: 'Addresses. The primary one, or else the first, is the one that counts.',
    sub: [
      text('value', 'The address.'),
      text('display', 'To be shown.'),
      text('type', 'Such as work.'),
      { name: 'primary', type: 'boolean', description: 'The one that counts.' },
    ],
  },
  {
    name: 'groups',
    type: 'complex',
    multi: true,
    mutability: 'readOnly',
    description: 'The groups that they are in.',
    sub: [
      text('value', 'The id of the group.', { caseExact: true, mutability: 'readOnly' }),
      { name: '$ref', type: 'reference', description: 'Its address.', mutability: 'readOnly' },
      text('display', 'Its name.', { mutability: 'readOnly' }),
      text('type', 'direct.', { mutability: 'readOnly' }),
    ],
  },
]

const ownGroupAttributes: readonly Attribute[] = [
  text('displayName', 'The name, by which the space gives a role.', { required: true, uniqueness: 'server' }),
  {
    name: 'members',
    type: 'complex',
    multi: true,
    description: 'Who is in it.',
    sub: [
      text('value', 'The id of the user.', { caseExact: true }),
      { name: '$ref', type: 'reference', description: 'Their address.', mutability: 'readOnly' },
      text('display', 'Their name.', { mutability: 'readOnly' }),
      text('type', 'User.', { mutability: 'readOnly' }),
    ],
  },
]

export interface ResourceKind {
  name: 'User' | 'Group'
  endpoint: '/Users' | '/Groups'
  schema: string
  description: string
  own: readonly Attribute[]
  all: readonly Attribute[]
}

export const users: ResourceKind = {
  name: 'User',
  endpoint: '/Users',
  schema: userSchema,
  description: 'Members of the space.',
  own: ownUserAttributes,
  all: [...common, ...ownUserAttributes],
}

export const groups: ResourceKind = {
  name: 'Group',
  endpoint: '/Groups',
  schema: groupSchema,
  description: 'Groups of the directory, which roles of the space come with.',
  own: ownGroupAttributes,
  all: [...common, ...ownGroupAttributes],
}

/** Finds an attribute by its name, ignoring case (RFC 7643 §2.1). `undefined` for unsupported attributes. */
export function findAttribute(among: readonly Attribute[] | undefined, name: string): Attribute | undefined {
  const wanted = name.toLowerCase()
  return among?.find((attribute) => attribute.name.toLowerCase() === wanted)
}

/** Reads a boolean, which directories also send as text. `undefined` for other values. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return word === 'true' ? true : word === 'false' ? false : undefined
}
