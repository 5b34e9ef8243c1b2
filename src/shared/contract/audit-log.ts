import { z } from 'zod'
import { auditObjects, maximumAuditedItems } from '../audit.ts'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const auditEntrySchema = z.object({
  _id: idSchema,
  at: timeSchema,
  /** Object and action: `document.publish`. */
  act: z.string(),
  /** `done`, or the error code of a refused call or failed job. */
  outcome: z.string(),
  actor: z.object({
    /**
     * `job`: a background job. `name` is then the name of the job, and `_id` the account that it acted for, if any.
     * `system`: the installation itself, `name` is the job or service. `visitor`: a visitor who sent a form.
     * `nobody`: a request without an account or token.
     */
    kind: z.enum(['account', 'token', 'job', 'system', 'visitor', 'operator', 'nobody']),
    _id: z.string().nullable(),
    /** The name at the time of the entry. null: the actor has no name. */
    name: z.string().nullable(),
  }),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  object: z.object({
    kind: z.enum(auditObjects),
    _id: z.string().nullable(),
    name: z.string().nullable(),
  }),
  details: z.looseObject({
    changes: z
      .array(z.object({ key: z.string(), before: z.unknown().optional(), after: z.unknown().optional() }))
      .optional(),
    /** For bulk actions: counts and the first 100 ids. */
    items: z
      .object({ count: z.int(), failed: z.int(), ids: z.array(z.string()).max(maximumAuditedItems) })
      .optional(),
    route: z.string().optional(),
  }),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>

/** An entry must match all filters that are set. */
const filter = {
  /** `_id` of the account that acted, or for which a job acted. */
  person: z.string().max(64).optional(),
  kind: z.enum(auditObjects).optional(),
  /** id of the object. For apps and spaces: the uid. */
  object: z.string().max(100).optional(),
  outcome: z.enum(['done', 'refused']).optional(),
  /** Time range. `from` is inclusive, `to` is exclusive. */
  from: z.iso.datetime({ offset: true, error: 'InvalidFormat' }).optional(),
  to: z.iso.datetime({ offset: true, error: 'InvalidFormat' }).optional(),
  /** Searches names, the object's id, the act and the IP address, ignoring case. */
  search: z.string().trim().max(100).optional(),
}
export const auditFilterSchema = z.strictObject(filter)
export type AuditFilter = z.infer<typeof auditFilterSchema>

const path = '/api/project/{p}/auditLog' as const

const listing = {
  query: z.strictObject({
    ...filter,
    before: idSchema.optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  response: z.object({
    auditLogs: z.array(auditEntrySchema),
    total: z.int().nullable(),
    next: idSchema.nullable(),
    searchedTo: timeSchema.nullable(),
  }),
}

export const auditLogEndpoints = {
  listAuditLog: endpoint(`GET ${path}`, {
    summary: 'List audit entries of the space, newest first',
    description:
      'Pages: `before` is the `next` of the previous page. A page with a `next` may have fewer entries ' +
      'than `limit`, or none: entries back to `searchedTo` were searched. `total` is null with a filter ' +
      'and on later pages.',
    permission: 'audit.read',
    ...listing,
  }),
  listInstallationAuditLog: endpoint('GET /api/admin/auditLog', {
    summary: 'List audit entries outside of spaces, newest first',
    description:
      'Contains entries about sign-ups, sign-ins, accounts and the administration of the installation. ' +
      'Pages as for `listAuditLog`.',
    permission: 'admin',
    ...listing,
  }),
  exportAuditLog: endpoint(`GET ${path}/export`, {
    audit: { act: 'auditLog.export' },
    summary: 'Export filtered audit entries as JSON lines or CSV, newest first',
    description: "CSV is UTF-8 with a byte order mark; actions are in the caller's language.",
    permission: 'audit.read',
    transaction: 'own',
    query: z.strictObject({ ...filter, format: z.enum(['ndjson', 'csv']).default('ndjson') }),
    response: { kind: 'file' },
  }),
  verifyAuditLog: endpoint(`GET ${path}/verify`, {
    summary: 'Verify the seals of the audit log',
    description:
      '`problem` identifies the first seal that does not match its entries (`entries`, or `missing` if ' +
      'some were deleted) or does not follow the previous seal (`chain`). `head` is the newest seal: if ' +
      'it is recorded elsewhere, it proves later that no earlier entry was rewritten.',
    permission: 'audit.read',
    transaction: 'own',
    response: z.object({
      /** Number of checked entries. `unsealed`: number of recent entries that are not sealed yet. */
      entries: z.int(),
      unsealed: z.int(),
      seals: z.int(),
      /** Number of entries deleted at the end of the space's retention period. */
      released: z.int(),
      sealedAt: timeSchema.nullable(),
      head: z.string().nullable(),
      problem: z
        .object({ seal: z.int(), sealedAt: timeSchema, kind: z.enum(['entries', 'chain', 'missing']) })
        .nullable(),
    }),
  }),
}
