/* The types of the audit log. Endpoints declare their entries in the contract (docs/decisions/0049). */

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
  'form',
  'submission',
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
 * Returns the action whose translation is shown for an entry. In older entries, `member.leave` without an app means
 * that a member left the space.
 */
export const shownAct = ({ act, details }: { act: string; details: Record<string, unknown> }): string =>
  act === 'member.leave' && details.app === undefined ? 'member.leaveSpace' : act

/**
 * The reasons for acts of the installation itself, recorded in the property `systemReason` of their entries.
 * `pendingRangesExpired`: no user confirmed new IP ranges in time. `requesterLeft`: the requester of a job left the
 * space or lost the right, and the job continues without them.
 */
export const systemReasons = ['pendingRangesExpired', 'requesterLeft'] as const
export type SystemReason = (typeof systemReasons)[number]

export interface AuditExpectation {
  act: AuditAct
  /**
   * Name of the response property that contains the affected object, from which the `_id` or `uid` and the name are
   * logged. Default: the last parameter of the path identifies the object.
   */
  of?: string
  /**
   * Properties of the object (or of the values that a use case records) whose old and new values are logged. Other
   * properties are omitted, so that a secret property added later is not logged.
   */
  shows?: readonly string[]
}

/** Marks an endpoint that writes no audit entry. `none` is the reason. */
export interface NoAudit {
  none: string
}

export type Audit = AuditExpectation | NoAudit

/** One changed value. `before` or `after` is omitted if there was no value. Long values are truncated. */
export interface AuditChange {
  key: string
  before?: unknown
  after?: unknown
}

/** The items of a bulk action: their number, the number of refused items, and the first 100 ids. */
export interface AuditItems {
  count: number
  failed: number
  ids: string[]
}

export const maximumAuditedItems = 100

export interface AuditDetails {
  changes?: AuditChange[]
  items?: AuditItems
  /** The route of a refused request. */
  route?: string
  [fact: string]: unknown
}
