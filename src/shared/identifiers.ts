/** Identifiers in the APIs: uids are chosen by users, `_id`s are generated. */
import { invalid } from './errors.ts'

/** A uid: a letter, then up to 63 letters, digits, `_` or `-`. */
export const uidPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** A 24-character lower-case hex identifier: documents, fields, tokens, members. */
export const idPattern = /^[0-9a-f]{24}$/

/**
 * Creates a new {@link idPattern} identifier from four bytes of seconds and eight random bytes. Code must not rely on
 * the order of two identifiers.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  new DataView(bytes.buffer).setUint32(0, Math.floor(Date.now() / 1000))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Words reserved for every kind: names of object internals that JSON can contain. `__proto__` does not match {@link
 * uidPattern}.
 */
const reservedEverywhere = ['constructor', 'prototype']

/**
 * First path segments that are in use or reserved, for example for pages of the admin, the APIs, the documentation,
 * paths that the project's requirements name, and future features.
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
 * Path segments in the position of an app's uid. `invitation` and others are paths that the project's requirements
 * name (`/{p}/invitation`), `settings` was a page of the space, `space` is in `/v1/space/apps/{uid}` of the delivery
 * API.
 */
const reservedAppUids = [
  ...reservedEverywhere,
  'space',
  'invitation',
  'settings',
  'two-factor-authentication-not-configured',
]

/**
 * Path segments in the position of a model's uid. `settings` and `models` were pages of the app, `duplicate` is in
 * `POST …/model/duplicate` of the management API, `apps` is in `/v1/space/apps` of the delivery API.
 */
const reservedModelUids = [...reservedEverywhere, 'apps', 'duplicate', 'models', 'settings']

/** Query parameters other than filters. */
export const queryParameters = ['select', 'order', 'limit', 'skip', 'depth', 'search'] as const
export type QueryParameter = (typeof queryParameters)[number]

/**
 * Future parameters of the delivery API, and future path segments in the position of a model's uid. New uids cannot be
 * one of these words. Existing and imported uids can be (`carriedUidProblem`), so that sites need no change before the
 * words are in use.
 */
const comingParameters = ['after', 'at', 'preview', 'release', 'sync', 'token']
const comingModelUids = ['live', 'sync']

/** Names that the query language uses, and properties of a document that are not fields. */
const reservedFieldUids = [...reservedEverywhere, ...queryParameters, '_id', '_sys', 'or', 'and', 'fmt']

export type UidKind = 'space' | 'app' | 'model' | 'field'

/** uids in URLs and host names are case-insensitive, so these words are too. */
const lowerCase = (uids: string[]) => new Set(uids.map((uid) => uid.toLowerCase()))
const reservedInAddresses: Record<Exclude<UidKind, 'field'>, Set<string>> = {
  space: lowerCase(reservedSpaceUids),
  app: lowerCase(reservedAppUids),
  model: lowerCase(reservedModelUids),
}
const reservedForFields = new Set(reservedFieldUids)

/** Returns whether the word is reserved for a future feature. */
export function isComingWord(kind: UidKind, uid: string): boolean {
  if (kind === 'field') return comingParameters.includes(uid)
  return kind === 'model' && comingModelUids.includes(uid.toLowerCase())
}

/**
 * Returns why `uid` cannot be a uid of that kind, or `null` if it can. An unchanged uid (`current`) is always valid,
 * even if the word was reserved later.
 */
export function uidProblem(
  kind: UidKind,
  uid: string,
  current?: string | null,
): 'InvalidFormat' | 'ReservedWord' | null {
  if (uid === current) return null
  return isComingWord(kind, uid) ? 'ReservedWord' : carriedUidProblem(kind, uid)
}

/**
 * Returns why `uid` cannot be an imported uid of that kind, or `null` if it can. Words reserved for the future are
 * allowed, because sites already use them.
 */
export function carriedUidProblem(kind: UidKind, uid: string): 'InvalidFormat' | 'ReservedWord' | null {
  const isReserved =
    kind === 'field' ? reservedForFields.has(uid) : reservedInAddresses[kind].has(uid.toLowerCase())
  if (isReserved || uid.startsWith('__')) return 'ReservedWord'
  return uidPattern.test(uid) ? null : 'InvalidFormat'
}

/** Throws a 400 `ValidationFailed` at `path` if an object with the uid `current` cannot have this uid. */
export function requireUid(kind: UidKind, uid: string, current: string, path: string): void {
  const problem = uidProblem(kind, uid, current)
  if (problem) throw invalid(path, problem)
}
