import { z } from 'zod'
import { auditObjects, maximumAuditedItems } from '../audit.ts'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const auditEntrySchema = z.object({
  _id: idSchema,
  at: timeSchema,
  /** Object and action: `document.publish`. */
  act: z.string(),
  /** `done`, or the code of the refusal. */
  outcome: z.string(),
  actor: z.object({
    /**
     * `job`: a background job, whose `name` is the name of the job and whose `_id` is the account it acted for, if any.
     */
    kind: z.enum(['account', 'token', 'job', 'operator', 'nobody']),
    _id: z.string().nullable(),
    /** The name at the time of the entry. null: none. */
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
    /** For bulk actions: counts and the first ids. */
    items: z
      .object({ count: z.int(), failed: z.int(), ids: z.array(z.string()).max(maximumAuditedItems) })
      .optional(),
    route: z.string().optional(),
  }),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>

/** All given filters must match. */
const filter = {
  /** `_id` of the account that acted, or for which the act was done. */
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
    summary:
      'What was done in the space, the newest first, in pages: `before` is `next` of the page before. A page may hold ' +
      'fewer than `limit`, even none, with a `next`: so far as `searchedTo` everything was looked through. `total` is ' +
      'null where a filter is given.',
    permission: 'audit.read',
    ...listing,
  }),
  listInstallationAuditLog: endpoint('GET /api/admin/auditLog', {
    summary:
      'The same of what is done outside of spaces: signing up and in, accounts, jobs of the installation.',
    permission: 'admin',
    ...listing,
  }),
  exportAuditLog: endpoint(`GET ${path}/export`, {
    audit: { act: 'auditLog.export' },
    summary:
      'All entries that the filters name, the newest first: a line of JSON each, or CSV (UTF-8 with a mark, acts in the ' +
      'words of the caller’s language).',
    permission: 'audit.read',
    transaction: 'own',
    query: z.strictObject({ ...filter, format: z.enum(['ndjson', 'csv']).default('ndjson') }),
    response: { kind: 'file' },
  }),
  verifyAuditLog: endpoint(`GET ${path}/verify`, {
    summary:
      'Looks through everything that is sealed. `problem` names the first seal whose entries are not those that were ' +
      'sealed, or that does not follow from the one before. `head` is the newest seal: noted elsewhere, it proves later ' +
      'that nothing before it was rewritten.',
    permission: 'audit.read',
    transaction: 'own',
    response: z.object({
      /** Number of checked entries, and of recent entries that are not sealed yet. */
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
