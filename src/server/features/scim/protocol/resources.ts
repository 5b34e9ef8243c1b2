import type { GroupInput, GroupView } from '../scim-groups.service.ts'
import type { UserInput, UserView } from '../scim-users.service.ts'
import { findAttribute, groupSchema, groups, type ResourceKind, userSchema, users } from './attributes.ts'
import { readAttributes, unqualified, type Values } from './patch.ts'
import { refused } from './scim-error.ts'

/** Returns a weak ETag, because it identifies the stored version and not the bytes. */
export const versionOf = (version: number) => `W/"${version}"`

const metaOf = (
  { name, endpoint }: ResourceKind,
  base: string,
  row: { id: string; version: number; createdAt: Date; updatedAt: Date },
) => ({
  resourceType: name,
  created: row.createdAt.toISOString(),
  lastModified: row.updatedAt.toISOString(),
  location: `${base}${endpoint}/${row.id}`,
  version: versionOf(row.version),
})

/**
 * Converts a user to SCIM. A member that the directory has not provisioned has a name and an email address instead of
 * attributes from the directory.
 */
export function presentUser(user: UserView, base: string): Values {
  const said = user.attributes ?? {
    ...(user.name ? { displayName: user.name } : {}),
    emails: [{ value: user.email, type: 'work', primary: true }],
  }
  return {
    schemas: [userSchema],
    id: user.id,
    ...(user.externalId === null ? {} : { externalId: user.externalId }),
    userName: user.userName,
    ...said,
    active: user.isActive,
    ...(user.groups.length === 0
      ? {}
      : {
          groups: user.groups.map(({ id, name }) => ({
            value: id,
            $ref: `${base}${groups.endpoint}/${id}`,
            display: name,
            type: 'direct',
          })),
        }),
    meta: metaOf(users, base, user),
  }
}

export function presentGroup(group: GroupView, base: string): Values {
  return {
    schemas: [groupSchema],
    id: group.id,
    ...(group.externalId === null ? {} : { externalId: group.externalId }),
    displayName: group.name,
    ...(group.members.length === 0
      ? {}
      : {
          members: group.members.map(({ id, name }) => ({
            value: id,
            $ref: `${base}${users.endpoint}/${id}`,
            display: name,
            type: 'User',
          })),
        }),
    meta: metaOf(groups, base, group),
  }
}

/** Maximum length of a text in UTF-16 units. */
const longestText = 512
const mostEmails = 20

/**
 * Reads a user from a body, or from a resource after a PATCH. `wasActive` applies if the body does not contain
 * `active`. Throws 400 `invalidValue`.
 */
export function readUser(body: Values, wasActive = true): UserInput {
  const read = readAttributes(unqualified(body, users), users.all)
  checkLengths(read)
  const { userName, externalId, active, ...attributes } = read as {
    userName?: string
    externalId?: string
    active?: boolean
    displayName?: string
    preferredLanguage?: string
    locale?: string
    name?: { formatted?: string; givenName?: string; familyName?: string }
    emails?: { value?: string; primary?: boolean; type?: string }[]
  }
  if (!userName?.trim()) throw refused('invalidValue', 'userName is required')
  const { emails = [], name = {} } = attributes
  if (emails.length > mostEmails) throw refused('invalidValue', 'There are too many emails')
  const withValue = emails.filter(({ value }) => value)
  const chosen =
    withValue.find(({ primary }) => primary) ??
    withValue.find(({ type }) => type?.toLowerCase() === 'work') ??
    withValue[0]
  const email = chosen?.value ?? userName
  const language = attributes.preferredLanguage ?? attributes.locale
  return {
    userName: userName.trim(),
    externalId: externalId || null,
    isActive: active ?? wasActive,
    email,
    name: (attributes.displayName ?? name.formatted ?? wholeName(name, language) ?? '').trim().slice(0, 100),
    language,
    attributes,
  }
}

/** Returns the full name, with the family name first for Japanese. `undefined` if there are no parts. */
function wholeName(
  { givenName, familyName }: { givenName?: string; familyName?: string },
  language: string | undefined,
): string | undefined {
  const parts = language?.toLowerCase().startsWith('ja') ? [familyName, givenName] : [givenName, familyName]
  return parts.filter(Boolean).join(' ') || undefined
}

/**
 * Reads a group. `members` is `null` if `keepsMembers` is set and the body contains no members. Throws 400
 * `invalidValue`.
 */
export function readGroup(body: Values, keepsMembers: boolean): GroupInput {
  const read = readAttributes(unqualified(body, groups), groups.all)
  checkLengths(read)
  const { displayName, externalId, members } = read as {
    displayName?: string
    externalId?: string
    members?: { value?: string }[]
  }
  if (!displayName?.trim()) throw refused('invalidValue', 'displayName is required')
  return {
    name: displayName.trim(),
    externalId: externalId || null,
    members:
      members === undefined && keepsMembers
        ? null
        : [...new Set((members ?? []).map(({ value }) => value ?? ''))],
  }
}

function checkLengths(value: unknown): void {
  if (typeof value === 'string') {
    if (value.length > longestText || !value.isWellFormed() || value.includes('\u0000'))
      throw refused('invalidValue', 'A text is too long, or not one')
  } else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) checkLengths(inner)
}

/** The attributes that a query requests for the response (RFC 7644 §3.9). */
export interface Shown {
  attributes: string[] | null
  excluded: string[]
}

const always = new Set(['id', 'schemas', 'meta'])

/** Returns whether the query requests this attribute of the resource. */
export const isShown = ({ attributes, excluded }: Shown, name: string): boolean =>
  attributes === null
    ? !excluded.includes(name.toLowerCase())
    : attributes.some((path) => path === name.toLowerCase() || path.startsWith(`${name.toLowerCase()}.`))

export function project(resource: Values, shown: Shown, { all }: ResourceKind): Values {
  if (shown.attributes === null && shown.excluded.length === 0) return resource
  const paths = (list: string[]) => list.map((path) => path.slice(path.lastIndexOf(':') + 1).split('.'))
  const wanted = shown.attributes && paths(shown.attributes)
  const unwanted = paths(shown.excluded)
  const entries = Object.entries(resource).flatMap(([name, value]) => {
    const key = name.toLowerCase()
    if (always.has(name)) return [[name, value] as const]
    if (wanted) {
      const meant = wanted.filter(([first]) => first === key)
      if (meant.length === 0) return []
      const subs = meant.map(([, sub]) => sub)
      return [[name, subs.includes(undefined) ? value : inner(value, (sub) => subs.includes(sub))] as const]
    }
    const meant = unwanted.filter(([first]) => first === key)
    if (meant.some(([, sub]) => sub === undefined)) return []
    const subs = meant.map(([, sub]) => sub)
    return [[name, subs.length > 0 ? inner(value, (sub) => !subs.includes(sub)) : value] as const]
  })
  return Object.fromEntries(entries.filter(([name]) => always.has(name) || findAttribute(all, name)))
}

function inner(value: unknown, keeps: (sub: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => inner(each, keeps))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => keeps(name.toLowerCase())))
}
