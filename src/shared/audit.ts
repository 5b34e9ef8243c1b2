/*
 * What the audit log is made of. Every endpoint that changes something says in its contract which entry it leaves; the
 * server's edge writes it, in the transaction of the change (docs/decisions/0049).
 */

/** Kinds of things that acts are done to. */
export const auditObjects = [
  'space',
  'security',
  'account',
  'member',
  'role',
  'invitation',
  'app',
  'model',
  'customType',
  'view',
  'document',
  'asset',
  'tag',
  'assetFolder',
  'token',
  'scim',
  'group',
  'storage',
  'imageSettings',
  'job',
  'move',
  'template',
  'auditLog',
] as const
export type AuditObject = (typeof auditObjects)[number]

/** `object.verb`, such as `document.publish`; its words stand under `acts` in the admin's `audit-log.json`. */
export type AuditAct = `${AuditObject}.${string}`

/** The entry that an endpoint leaves. */
export interface AuditExpectation {
  act: AuditAct
  /** Which property of the answer is the object: its `_id` or `uid`, its name. Without it: what the path names last. */
  of?: string
  /**
   * Properties of the object (or of what a use-case notes) whose values are kept, before and after. None that is not named
   * here is, so a secret that somebody adds later is not either.
   */
  shows?: readonly string[]
}

/** For what is asked by POST and changes nothing: why it leaves no entry. */
export interface NoAudit {
  none: string
}

export type Audit = AuditExpectation | NoAudit

/** One value that an act changed; left out: there was, or is, none. Long ones are cut. */
export interface AuditChange {
  key: string
  before?: unknown
  after?: unknown
}

/** Of acts on many things at once: how many, how many of them were refused, and the first ids. */
export interface AuditItems {
  count: number
  failed: number
  ids: string[]
}

/** How many ids an entry names at most. */
export const maximumAuditedItems = 100

export interface AuditDetails {
  changes?: AuditChange[]
  items?: AuditItems
  /** The call that was refused. */
  route?: string
  [fact: string]: unknown
}
