/*
 * The vocabulary of the audit log. Every endpoint that changes something declares its entry in the contract; the HTTP
 * layer writes it in the transaction of the change (docs/decisions/0049).
 */

/** Kinds of objects that audited actions apply to. */
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
  'webhook',
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

/** `object.verb`, such as `document.publish`; translated in `audit-act.json` of `i18n`. */
export type AuditAct = `${AuditObject}.${string}`

/**
 * The act whose translation an entry is shown with. Older entries for leaving the space have the act for leaving an
 * app, but name no app.
 */
export const shownAct = ({ act, details }: { act: string; details: Record<string, unknown> }): string =>
  act === 'member.leave' && details.app === undefined ? 'member.leaveSpace' : act

/** Declares the audit entry of an endpoint. */
export interface AuditExpectation {
  act: AuditAct
  /**
   * The property of the response that is the object (`_id` or `uid`, and name). Default: the last parameter of the
   * path.
   */
  of?: string
  /**
   * Properties of the object (or of what a use case records) whose values are logged, before and after. All others are
   * omitted, so a secret property added later is not logged.
   */
  shows?: readonly string[]
}

/** For POST endpoints that change nothing: the reason why there is no entry. */
export interface NoAudit {
  none: string
}

export type Audit = AuditExpectation | NoAudit

/** One changed value; a side is left out when there is no value. Long values are truncated. */
export interface AuditChange {
  key: string
  before?: unknown
  after?: unknown
}

/** For bulk actions: the number of items, how many were refused, and the first ids. */
export interface AuditItems {
  count: number
  failed: number
  ids: string[]
}

/** Maximum number of ids in an entry. */
export const maximumAuditedItems = 100

export interface AuditDetails {
  changes?: AuditChange[]
  items?: AuditItems
  /** The route of a refused call. */
  route?: string
  [fact: string]: unknown
}
