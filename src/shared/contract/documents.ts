import { z } from 'zod'
import { countedTotal, idSchema, issueSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const documentStatuses = ['draft', 'published', 'changed'] as const

const personSchema = z.object({ _id: idSchema, name: z.string() })

export const documentSysSchema = z.object({
  /** Grows by one with every save, publish, unpublish; the base of the next change. */
  version: z.int(),
  /** `draft`: not published (any more); `changed`: published, with newer unpublished edits. */
  status: z.enum(documentStatuses),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  firstPublishedAt: timeSchema.nullable(),
  publishedAt: timeSchema.nullable(),
  customOrder: z.number().nullable(),
  createdBy: personSchema.nullable(),
  updatedBy: personSchema.nullable(),
})

/** A document: `_id`, `_sys`, and its values by field uid (empty ones left out). */
export const documentSchema = z.object({ _id: idSchema, _sys: documentSysSchema }).catchall(z.unknown())
export type Document = z.infer<typeof documentSchema>

/**
 * Values by field uid; `null` or `''` empties a field. `_id` and `_sys` of a document that was read may come along:
 * `_sys.version` is the base version, the rest of them is ignored.
 */
const documentInput = z.record(z.string(), z.unknown())

/** How long a deleted document can be restored, in days. */
export const trashDays = 30

/** `SAVE` keeps a draft (what is published stays), `PUBLISH` saves and publishes, `DUPLICATE` makes an unpublished copy. */
export const saveTypeSchema = z.enum(['SAVE', 'PUBLISH', 'DUPLICATE']).default('SAVE')

export const revisionKinds = ['create', 'save', 'publish', 'unpublish', 'delete', 'restore'] as const
export const revisionSchema = z.object({
  version: z.int(),
  kind: z.enum(revisionKinds),
  /** Where the write came from: `admin` or `sample` today. */
  source: z.string(),
  createdAt: timeSchema,
  createdBy: personSchema.nullable(),
  /** What somebody was called who wrote it elsewhere, and is nobody here. */
  author: z.string().nullable(),
})
export type Revision = z.infer<typeof revisionSchema>

/** How one document of many fared. */
export const bulkResultSchema = z.object({
  _id: z.string(),
  success: z.boolean(),
  /** Why it failed: an error code, `ValidationFailed` with the broken fields among them. */
  code: z.string().exactOptional(),
  issues: z.array(issueSchema).exactOptional(),
  /** True of what was published, or not, already: nothing was done. */
  unchanged: z.literal(true).exactOptional(),
  /** What a restored document is now: not published again when that is not possible any more. */
  status: z.enum(documentStatuses).exactOptional(),
})
export type BulkResult = z.infer<typeof bulkResultSchema>

const bulk = {
  body: z.strictObject({ documentIds: z.array(z.string().max(64)).min(1).max(200) }),
  response: z.object({ results: z.array(bulkResultSchema) }),
}

/** A document in the trash. */
export const trashedDocumentSchema = z.object({
  _id: idSchema,
  title: z.string(),
  /** Was it published when it was deleted? */
  published: z.boolean(),
  createdBy: personSchema.nullable(),
  deletedAt: timeSchema,
  deletedBy: personSchema.nullable(),
})
export type TrashedDocument = z.infer<typeof trashedDocumentSchema>

const path = '/api/project/{p}/app/{a}/model/{m}/doc' as const

const exported =
  'All documents of a list in a file, in its order, in their current state: the filters and `order` ' +
  'of the list, and `select`, the columns (uids of fields, names below `_sys`; all fields without it). As'
const exporting = {
  permission: 'document.read',
  transaction: 'own',
  rawQuery: true,
  response: { kind: 'file' },
} as const

export const documentEndpoints = {
  listDocuments: endpoint(`GET ${path}`, {
    summary:
      'The documents of a model in their current state. Takes the delivery API’s query language (filters, `[or]`, ' +
      '`order`, `limit` up to 1000, `skip`, `search`) and `_sys.status`. Default order `-_sys.updatedAt`. What filters ' +
      'find is counted to 10,000, words to 1,000: `isMore` says that there are more than `total`.',
    permission: 'document.read',
    rawQuery: true,
    response: z.object({
      documents: z.array(documentSchema),
      ...countedTotal,
      skip: z.int(),
      limit: z.int(),
    }),
  }),
  exportCsv: endpoint(`GET ${path}/export.csv`, {
    summary: `${exported} CSV: UTF-8 with a mark, headings and statuses in the caller’s language, times as in the space’s time zone with their distance from UTC.`,
    ...exporting,
  }),
  exportJson: endpoint(`GET ${path}/export.json`, { summary: `${exported} JSON.`, ...exporting }),
  createDocument: endpoint(`POST ${path}`, {
    audit: { act: 'document.create', of: 'document', shows: ['version', 'status'] },
    summary: 'Make a document.',
    permission: 'document.write.own',
    idempotent: true,
    body: z.strictObject({ document: documentInput, type: saveTypeSchema }),
    response: z.object({ document: documentSchema }),
  }),
  getDocument: endpoint(`GET ${path}/{id}`, {
    summary: 'One document in its current state.',
    permission: 'document.read',
    response: z.object({ document: documentSchema }),
  }),
  previewDocument: endpoint(`GET ${path}/{id}/api`, {
    summary: 'The document as the delivery API (drafts included) would answer it.',
    permission: 'document.read',
    query: z.object({ depth: z.coerce.number().int().min(0).max(5).default(1) }),
    response: z.object({ document: z.looseObject({ _id: idSchema }) }),
  }),
  updateDocument: endpoint(`PUT ${path}/{id}`, {
    audit: { act: 'document.save', of: 'document', shows: ['version', 'status', 'fields'] },
    summary:
      'Save a document. The base version comes as `If-Match: "7"` or `doc._sys.version`: a stale base that touched ' +
      'other fields is merged (`merged` names theirs), one that overlaps answers 409 `VersionConflict` with ' +
      '`current`, `by`, `at` and `fields`. Fields that are left out stay as they are.',
    permission: 'document.write.own',
    idempotent: true,
    body: z.strictObject({ doc: documentInput, type: saveTypeSchema }),
    response: z.object({ document: documentSchema, merged: z.array(z.string()).optional() }),
  }),
  deleteDocument: endpoint(`DELETE ${path}/{id}`, {
    audit: { act: 'document.delete' },
    summary: 'Move a document to the trash, where it stays for 30 days.',
    permission: 'document.write.own',
    response: successSchema,
  }),
  listRevisions: endpoint(`GET ${path}/{id}/revisions`, {
    summary: 'The newest revisions of a document, without their values.',
    permission: 'document.read',
    query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
    response: z.object({ revisions: z.array(revisionSchema) }),
  }),
  getRevision: endpoint(`GET ${path}/{id}/revision/{revision}`, {
    summary: 'One revision with its values; `{revision}` is a version number or `latest`.',
    permission: 'document.read',
    response: z.object({ revision: revisionSchema.extend({ values: z.record(z.string(), z.unknown()) }) }),
  }),
  listReferences: endpoint(`GET ${path}/{id}/references`, {
    summary: 'The documents that refer to this one.',
    permission: 'document.read',
    response: z.object({
      references: z.array(
        z.object({ _id: idSchema, modelUid: z.string(), title: z.string(), published: z.boolean() }),
      ),
      total: z.int(),
    }),
  }),
  validateDocument: endpoint(`POST ${path}/validate`, {
    idempotent: { none: 'changes nothing' },
    audit: { none: 'looks and changes nothing' },
    summary: 'Would these values publish? Changes nothing.',
    permission: 'document.write.own',
    body: z.strictObject({ doc: documentInput }),
    response: z.object({
      isValid: z.boolean(),
      invalidFieldUIDs: z.array(z.string()),
      isTooLarge: z.boolean(),
      issues: z.array(issueSchema),
      /** Does not keep it from being published now: values of unique fields that other drafts have too. */
      warnings: z.array(issueSchema),
    }),
  }),
  validateField: endpoint(`POST ${path}/validateField`, {
    idempotent: { none: 'changes nothing' },
    audit: { none: 'looks and changes nothing' },
    summary:
      'Does this value meet the rules of the field (by uid), uniqueness included? `errorMessage` is a sentence in the ' +
      'caller’s language: where a rule is broken inside of the value, it says that some items or fields do not meet the ' +
      'requirements. `code` is what is wrong, with its `params`, `path` its place in the value. `blocksPublishing` is false for a value ' +
      'that only other drafts have too: whichever is published first keeps it.',
    permission: 'document.write.own',
    body: z.strictObject({ value: z.unknown(), field: z.string().max(64), docId: idSchema.nullish() }),
    response: z.object({
      errorMessage: z.string().nullable(),
      code: z.string().nullable(),
      /** Where in the value: `''` for all of it, an item's index, or a path into an item. */
      path: z.string().optional(),
      params: issueSchema.shape.params,
      blocksPublishing: z.boolean(),
    }),
  }),
  bulkPublish: endpoint(`POST ${path}/bulkPublish`, {
    idempotent: true,
    audit: { act: 'document.publish' },
    summary: 'Publish the current state of documents; a result for each, in the order asked.',
    permission: 'document.publish.own',
    ...bulk,
  }),
  bulkUnpublish: endpoint(`POST ${path}/bulkUnpublish`, {
    idempotent: true,
    audit: { act: 'document.unpublish' },
    summary: 'Switch documents to draft; a result for each, in the order asked.',
    permission: 'document.publish.own',
    ...bulk,
  }),
  bulkDelete: endpoint(`POST ${path}/bulkDelete`, {
    idempotent: true,
    audit: { act: 'document.delete' },
    summary: 'Move documents to the trash; a result for each, in the order asked.',
    permission: 'document.write.own',
    ...bulk,
  }),
  bulkRestore: endpoint(`POST ${path}/bulkRestore`, {
    idempotent: true,
    audit: { act: 'document.restore' },
    summary:
      'Bring documents back from the trash as they were, within 30 days; a result for each, in the order asked. One ' +
      'that was published comes back as a draft when its values may not be published any more: `status` tells.',
    permission: 'document.write.own',
    ...bulk,
  }),
  listTrash: endpoint(`GET ${path}/trash`, {
    summary: 'The documents that were deleted in the last 30 days, the newest first.',
    permission: 'document.read',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    response: z.object({ documents: z.array(trashedDocumentSchema), total: z.int() }),
  }),
  updateCustomOrder: endpoint(`POST ${path}/updateCustomOrder`, {
    idempotent: true,
    audit: { act: 'document.reorder' },
    summary: 'Put these documents first, in this order; the others keep theirs behind them.',
    permission: 'document.write.any',
    body: z.strictObject({ documentIds: z.array(idSchema).min(1).max(10_000) }),
    response: successSchema,
  }),
  resetCustomOrder: endpoint(`POST ${path}/resetCustomOrder`, {
    idempotent: true,
    audit: { act: 'document.resetOrder' },
    summary: 'Forget the custom order of a model.',
    permission: 'document.write.any',
    response: successSchema,
  }),
}
