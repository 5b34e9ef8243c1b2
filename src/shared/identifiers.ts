/** Identifiers as the wire knows them: uids are chosen by people, `_id`s are made by us. */
import { invalid } from './errors.ts'

/** A uid: a letter, then up to 63 letters, digits, `_` or `-` (decisions §3). */
export const uidPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** A 24-character lower-case hex identifier: documents, fields, tokens, members. */
export const idPattern = /^[0-9a-f]{24}$/

/** A new {@link idPattern} identifier: four bytes of seconds, eight of chance. Nothing may rest on the order of two. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  new DataView(bytes.buffer).setUint32(0, Math.floor(Date.now() / 1000))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Never a uid of anything: object machinery that JSON can carry. `__proto__` already fails {@link uidPattern}. */
const reservedEverywhere = ['constructor', 'prototype']

/**
 * First segments of addresses: what the admin, the APIs and the documentation answer themselves or the specification
 * names, what comes from outside some day (forms, uploads, provisioning), and what the installation keeps.
 */
const reservedSpaceUids = [
  ...reservedEverywhere,
  'account',
  'admin',
  'api',
  'apiManagement',
  'apps',
  'appTypes',
  'assets',
  'confirm',
  'connected',
  'docs',
  'embed',
  'favicon',
  'forgot-password',
  'forms',
  'healthz',
  'help',
  'imori',
  'installation',
  'invitation',
  'jobs',
  'login',
  'logout',
  'metrics',
  'oauth',
  'project',
  'projects',
  'readyz',
  'reset-password',
  'saml',
  'scim',
  'sign-up',
  'space',
  'spaces',
  'sso',
  'static',
  'two-factor-authentication',
  'uploads',
  'v1',
  'webhooks',
]

/**
 * What stands where an app's uid does: `/{p}/invitation` and the like, which the specification names; `settings`, where
 * the space's own pages used to be; `/v1/space/apps/{uid}` of the delivery API.
 */
const reservedAppUids = [
  ...reservedEverywhere,
  'space',
  'invitation',
  'settings',
  'two-factor-authentication-not-configured',
]

/**
 * What stands where a model's uid does: `settings` and `models`, where the app's own pages used to be;
 * `POST …/model/duplicate` of the specification; `/v1/space/apps` of the delivery API.
 */
const reservedModelUids = [...reservedEverywhere, 'apps', 'duplicate', 'models', 'settings']

/** Parameters of a query beside its filters. */
export const queryParameters = ['select', 'order', 'limit', 'skip', 'depth', 'search'] as const
export type QueryParameter = (typeof queryParameters)[number]

/**
 * Parameters that the delivery API is to have, and what will stand where a model's uid does. Nobody takes these words any more; what
 * has one keeps it, here and when it is brought along (`carriedUidProblem`), so that no site has to change before it must.
 */
const comingParameters = ['after', 'at', 'preview', 'release', 'sync', 'token']
const comingModelUids = ['live', 'sync']

/** Names the query language uses itself, and the parts of a document that are not its values. */
const reservedFieldUids = [...reservedEverywhere, ...queryParameters, '_id', '_sys', 'or', 'and', 'fmt']

export type UidKind = 'space' | 'app' | 'model' | 'field'

/** Addresses and host names do not tell `Login` from `login`, so neither do the uids that stand in them. */
const lowerCase = (uids: string[]) => new Set(uids.map((uid) => uid.toLowerCase()))
const reservedInAddresses: Record<Exclude<UidKind, 'field'>, Set<string>> = {
  space: lowerCase(reservedSpaceUids),
  app: lowerCase(reservedAppUids),
  model: lowerCase(reservedModelUids),
}
const reservedForFields = new Set(reservedFieldUids)

/** Is the word kept for later? What has it as its uid had better take another one. */
export function isComingWord(kind: UidKind, uid: string): boolean {
  if (kind === 'field') return comingParameters.includes(uid)
  return kind === 'model' && comingModelUids.includes(uid.toLowerCase())
}

/**
 * Why this string cannot be a uid of that kind, or null when it can. What has the uid already (`current`) keeps it,
 * though the word may have been reserved since.
 */
export function uidProblem(
  kind: UidKind,
  uid: string,
  current?: string | null,
): 'InvalidFormat' | 'ReservedWord' | null {
  if (uid === current) return null
  return isComingWord(kind, uid) ? 'ReservedWord' : carriedUidProblem(kind, uid)
}

/** The same for what comes from elsewhere with its uid: sites ask for it by that. */
export function carriedUidProblem(kind: UidKind, uid: string): 'InvalidFormat' | 'ReservedWord' | null {
  const isReserved =
    kind === 'field' ? reservedForFields.has(uid) : reservedInAddresses[kind].has(uid.toLowerCase())
  if (isReserved || uid.startsWith('__')) return 'ReservedWord'
  return uidPattern.test(uid) ? null : 'InvalidFormat'
}

/** Throws the 400 at `path` when something whose uid is `current` cannot take this one. */
export function requireUid(kind: UidKind, uid: string, current: string, path: string): void {
  const problem = uidProblem(kind, uid, current)
  if (problem) throw invalid(path, problem)
}
