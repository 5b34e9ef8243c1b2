import { z } from 'zod'
import { auditObjects, maximumAuditedItems } from '../audit.ts'
import { idSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const auditEntrySchema = z.object({
  _id: idSchema,
  at: timeSchema,
  /** `document.publish`: what, and what was done to it. */
  act: z.string(),
  /** `done`, or the code of the refusal. */
  outcome: z.string(),
  actor: z.object({
    /** `job`: the installation itself, with whom it did it for, if anybody. */
    kind: z.enum(['account', 'token', 'job', 'operator', 'nobody']),
    _id: z.string().nullable(),
    /** As it was then. */
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
    /** Of acts on many things: the first ids. */
    items: z
      .object({ count: z.int(), failed: z.int(), ids: z.array(z.string()).max(maximumAuditedItems) })
      .optional(),
    route: z.string().optional(),
  }),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>

/** Which entries: all that is given must hold. */
const filter = {
  /** `_id` of the account that acted, or that was acted for. */
  person: z.string().max(64).optional(),
  kind: z.enum(auditObjects).optional(),
  /** Of the object; uids of apps and spaces. */
  object: z.string().max(100).optional(),
  outcome: z.enum(['done', 'refused']).optional(),
  /** The first moment, and the first one that no longer belongs to it. */
  from: z.iso.datetime({ offset: true, error: 'InvalidFormat' }).optional(),
  to: z.iso.datetime({ offset: true, error: 'InvalidFormat' }).optional(),
  /** In names, the act, the address: upper and lower case alike. */
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
      'All entries that the filters name, the newest first: a line of JSON each, or CSV (UTF-8 with a mark).',
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
      /** Entries that were looked at, and those so young that no seal is on them yet. */
      entries: z.int(),
      unsealed: z.int(),
      seals: z.int(),
      /** Entries that were let go because the space keeps them no longer. */
      released: z.int(),
      sealedAt: timeSchema.nullable(),
      head: z.string().nullable(),
      problem: z
        .object({ seal: z.int(), sealedAt: timeSchema, kind: z.enum(['entries', 'chain', 'missing']) })
        .nullable(),
    }),
  }),
}
