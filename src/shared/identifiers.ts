/** Identifiers as the wire knows them: uids are chosen by people, `_id`s are made by us. */

/** A uid: a letter, then up to 63 letters, digits, `_` or `-` (decisions §3). */
export const uidPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** A 24-character lower-case hex identifier: documents, fields, tokens, members. */
export const idPattern = /^[0-9a-f]{24}$/

/** Never a uid of anything: object machinery that JSON can carry. `__proto__` already fails {@link uidPattern}. */
const reservedEverywhere = ['constructor', 'prototype']

/** First path segments the admin or the API answers itself, and uids the installation keeps. */
export const reservedSpaceUids = new Set([
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
  'favicon',
  'forgot-password',
  'healthz',
  'imori',
  'login',
  'logout',
  'project',
  'projects',
  'reset-password',
  'sign-up',
  'space',
  'spaces',
  'sso',
  'two-factor-authentication',
  'v1',
])

/** `space` is the delivery API's own segment (`/v1/space/apps/{uid}`); the others are screens of a space. */
export const reservedAppUids = new Set([
  ...reservedEverywhere,
  'space',
  'invitation',
  'settings',
  'two-factor-authentication-not-configured',
])

export const reservedModelUids = new Set([...reservedEverywhere, 'apps', 'settings', 'models'])

/** Names the delivery query language uses itself. */
export const reservedFieldUids = new Set([
  ...reservedEverywhere,
  '_id',
  '_sys',
  'select',
  'order',
  'limit',
  'skip',
  'depth',
  'or',
  'and',
  'search',
])

export type UidKind = 'space' | 'app' | 'model' | 'field'

const reserved: Record<UidKind, Set<string>> = {
  space: reservedSpaceUids,
  app: reservedAppUids,
  model: reservedModelUids,
  field: reservedFieldUids,
}

/** Host names and people do not tell `Login` from `login`, so neither do the uids of spaces. */
const reservedSpaceUidsInLowerCase = new Set([...reservedSpaceUids].map((uid) => uid.toLowerCase()))

/** Why this string cannot be a uid of that kind, or null when it can. */
export function uidProblem(kind: UidKind, uid: string): 'InvalidFormat' | 'ReservedWord' | null {
  const isReserved =
    kind === 'space' ? reservedSpaceUidsInLowerCase.has(uid.toLowerCase()) : reserved[kind].has(uid)
  if (isReserved || uid.startsWith('__')) return 'ReservedWord'
  return uidPattern.test(uid) ? null : 'InvalidFormat'
}
