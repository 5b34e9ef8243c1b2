import { z } from 'zod'
import { countedTotal, idSchema, issueSchema, successSchema, timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const documentStatuses = ['draft', 'published', 'changed'] as const

const personSchema = z.object({ _id: idSchema, name: z.string() })
export type Person = z.infer<typeof personSchema>
const authorsSchema = z.array(personSchema.nullable())

export const documentSysSchema = z.object({
  /**
   * Incremented by changes of the document, including its publication and deletion. Clients send it as the base version
   * of the next change.
   */
  version: z.int(),
  /** `draft`: never published, or unpublished. `changed`: published, with newer unpublished edits. */
  status: z.enum(documentStatuses),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  firstPublishedAt: timeSchema.nullable(),
  publishedAt: timeSchema.nullable(),
  customOrder: z.number().nullable(),
  createdBy: personSchema.nullable(),
  updatedBy: personSchema.nullable(),
})

/** A document: `_id`, `_sys`, and its values by field uid. Empty values are left out. */
export const documentSchema = z.object({ _id: idSchema, _sys: documentSysSchema }).catchall(z.unknown())
export type Document = z.infer<typeof documentSchema>

/**
 * Values by field uid; `null` empties a field. `_id` and `_sys` may be sent back: `_id` must then be the id of the
 * updated document, and `_sys.version` is the base version. Other properties of `_sys` are ignored.
 */
const documentInput = z.record(z.string(), z.unknown())

/** Days for which a deleted document can be restored. */
export const trashDays = 30

/**
 * `SAVE` saves a draft and leaves the published version unchanged. `PUBLISH` saves and publishes. `DUPLICATE` creates
 * an unpublished copy. Unique titles and slugs that another document has get a number. Other unique values that another
 * document has are omitted.
 */
export const saveTypeSchema = z.enum(['SAVE', 'PUBLISH', 'DUPLICATE']).default('SAVE')

export const revisionKinds = ['create', 'save', 'publish', 'unpublish', 'delete', 'restore'] as const
export const revisionSchema = z.object({
  version: z.int(),
  published: z.boolean(),
  kind: z.enum(revisionKinds),
  /** The origin of the write, such as `admin`, `api`, or the name of a job. */
  source: z.string(),
  createdAt: timeSchema,
  createdBy: personSchema.nullable(),
  /** Name of the author of an imported revision, if the author has no account here. Otherwise null. */
  author: z.string().nullable(),
})
export type Revision = z.infer<typeof revisionSchema>

const wholeRevisionSchema = revisionSchema.extend({
  /** Values by field uid, as far as they fit the current fields. */
  values: z.record(z.string(), z.unknown()),
  /**
   * Stored values that the current fields cannot contain, or can contain only in part. `field` is the uid, or null for
   * a removed field.
   */
  left: z.array(z.object({ field: z.string().nullable(), value: z.unknown() })),
})
export type WholeRevision = z.infer<typeof wholeRevisionSchema>

export const bulkResultSchema = z.object({
  _id: z.string(),
  success: z.boolean(),
  /** Error code. With `ValidationFailed`, `issues` lists the invalid fields. */
  code: z.string().exactOptional(),
  issues: z.array(issueSchema).exactOptional(),
  /** The document already was in the requested state, so it was not changed. */
  unchanged: z.literal(true).exactOptional(),
  /**
   * Status of a restored document. A document that was published before is a `draft` if it can no longer be published.
   */
  status: z.enum(documentStatuses).exactOptional(),
})
export type BulkResult = z.infer<typeof bulkResultSchema>

const bulk = {
  body: z.strictObject({ documentIds: z.array(z.string().max(64)).min(1).max(200) }),
  response: z.object({ results: z.array(bulkResultSchema) }),
}

export const trashedDocumentSchema = z.object({
  _id: idSchema,
  title: z.string(),
  published: z.boolean(),
  createdBy: personSchema.nullable(),
  deletedAt: timeSchema,
  deletedBy: personSchema.nullable(),
})
export type TrashedDocument = z.infer<typeof trashedDocumentSchema>

const path = '/api/project/{p}/app/{a}/model/{m}/doc' as const

const exportDescription =
  'An export contains all documents of a list in one file, in the order of the list. It accepts the filters, ' +
  '`search` and `order` of the list, but not `limit` and `skip`, and `select`: the columns (uids of fields, ' +
  'paths inside their values, names below `_sys`; default: all fields). The `_id` is always included. The ' +
  'file is named after the app and the model.'
const exporting = {
  audit: { act: 'model.export' },
  permission: 'document.read',
  transaction: 'own',
  rawQuery: true,
  response: { kind: 'file' },
} as const

export const documentEndpoints = {
  listDocuments: endpoint(`GET ${path}`, {
    programs: 'apiToken',
    summary: 'List documents of a model in their current state',
    description:
      'Accepts the query language of the delivery API (filters, `[or]`, `order`, `limit` up to 1000, ' +
      '`skip`, `search`), and `_sys.status`, `_sys.createdBy` and `_sys.updatedBy`. Default `limit`: ' +
      '50. Default order: `-_sys.updatedAt`. Filtered results are counted up to 10,000, search results ' +
      'up to 1,000: `isMore` is true if there are more than `total`. 400 `InvalidQueryParameter` names ' +
      'the parameter. 409 `FieldIsBeingConverted` for a field whose values are being converted. 429 ' +
      '`TooManyRequests` for an expensive query while others run, or one that exceeds its time limit.',
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
    summary: 'Export filtered documents in their current state as CSV',
    description:
      `${exportDescription} ` +
      'UTF-8 with a byte order mark. The first line has the names of the fields, or their uids with ' +
      "`_headings=uids`. Statuses and headings that belong to no field are in the caller's language. " +
      "Times are in the space's time zone (`2026-11-26 12:48:58`), or ISO 8601 with the UTC offset " +
      'with `_headings=uids`.',
    ...exporting,
  }),
  exportJson: endpoint(`GET ${path}/export.json`, {
    summary: 'Export filtered documents in their current state as JSON',
    description: exportDescription,
    ...exporting,
  }),
  createDocument: endpoint(`POST ${path}`, {
    audit: { act: 'document.create', of: 'document', shows: ['version', 'status'] },
    programs: 'apiToken',
    summary: 'Create a document',
    description:
      '`type: "PUBLISH"` also publishes the document. `DUPLICATE` adds a number to unique titles and slugs ' +
      'that are taken, and omits other unique values that are taken. 400 `ValidationFailed` with all ' +
      '`issues`, 413 for more than 1 MiB of JSON. 403 without the right to publish (`document.publish.own`) for `PUBLISH`.',
    permission: 'document.write.own',
    idempotent: true,
    body: z.strictObject({ document: documentInput, type: saveTypeSchema }),
    response: z.object({ document: documentSchema }),
  }),
  getDocument: endpoint(`GET ${path}/{id}`, {
    programs: 'apiToken',
    summary: 'Get a document in its current state',
    permission: 'document.read',
    response: z.object({ document: documentSchema }),
  }),
  previewDocument: endpoint(`GET ${path}/{id}/api`, {
    summary: 'Get the current state of a document as the delivery API would return it',
    permission: 'document.read',
    query: z.object({ depth: z.coerce.number().int().min(0).max(5).default(1) }),
    response: z.object({ document: z.looseObject({ _id: idSchema }) }),
  }),
  updateDocument: endpoint(`PUT ${path}/{id}`, {
    audit: { act: 'document.save', of: 'document', shows: ['version', 'status', 'fields'] },
    programs: 'apiToken',
    summary: 'Update a document',
    description:
      'The base version is sent as `If-Match: "7"` or `doc._sys.version`; without one, newer values of ' +
      'the sent fields are overwritten. If other fields changed since that version, the changes are ' +
      'merged: `merged` has their paths, `mergedFrom` the accounts that made them (null: no account). ' +
      'Overlapping changes return 409 `VersionConflict` with `current`, `fields`, and `by` and `at` of ' +
      'the last change. Omitted fields stay unchanged. `type: "PUBLISH"` also publishes the document; ' +
      '`DUPLICATE` leaves it unchanged and returns a new draft with the values. 400 `ValidationFailed` ' +
      'with all `issues`, 413 for more than 1 MiB of JSON. 403 for documents of others without ' +
      '`document.write.any`, and for published documents without the right to publish.',
    permission: 'document.write.own',
    idempotent: true,
    body: z.strictObject({ doc: documentInput, type: saveTypeSchema }),
    response: z.object({
      document: documentSchema,
      merged: z.array(z.string()).optional(),
      mergedFrom: authorsSchema.optional(),
    }),
  }),
  duplicateDocument: endpoint(`POST ${path}/{id}/duplicate`, {
    audit: { act: 'document.create', of: 'document', shows: ['version', 'status'] },
    programs: 'apiToken',
    summary: 'Create an unpublished copy of the current state of a document',
    description:
      '`docTitle` is the title of the copy; default: the title of the document. References and assets ' +
      'are kept. A unique title that is taken gets a number (`News (2)`), and so does a unique text that ' +
      'consists of letters, digits, `-`, `_` and `/` (`news-2`). Other unique values that are taken are ' +
      'omitted, and so are values of fields that are read-only for the caller. 400 `ValidationFailed` ' +
      'for an invalid title (path `docTitle`). 403 `Forbidden` if the title is read-only for the caller.',
    permission: 'document.write.own',
    idempotent: true,
    body: z
      .strictObject({
        docTitle: z.string().optional(),
        type: z.literal('DUPLICATE').default('DUPLICATE'),
      })
      .prefault({}),
    response: z.object({ document: documentSchema }),
  }),
  deleteDocument: endpoint(`DELETE ${path}/{id}`, {
    audit: { act: 'document.delete' },
    programs: 'apiToken',
    summary: 'Move a document to the trash, where it stays for 30 days',
    description:
      'References to it stay and resolve to nothing. 403 for documents of others without ' +
      '`document.write.any`, and for published documents without the right to publish.',
    permission: 'document.write.own',
    response: successSchema,
  }),
  listRevisions: endpoint(`GET ${path}/{id}/revisions`, {
    summary: 'List revisions of a document, newest first, without values',
    description:
      '`before` limits the list to revisions before that version. `published` marks the published ' +
      'version.',
    permission: 'document.read',
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      before: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
    }),
    response: z.object({ revisions: z.array(revisionSchema) }),
  }),
  listChangeAuthors: endpoint(`GET ${path}/{id}/changeAuthors`, {
    summary: 'List the accounts that changed given fields after a version',
    description:
      '`fields` are uids separated by commas. The most recent account is last; null for a change ' +
      'without an account. Compares the newest 50 revisions, beginning at version `since`. 429 ' +
      '`TooManyRequests` while other expensive queries run.',
    permission: 'document.read',
    query: z.object({
      since: z.coerce.number().int().min(1).max(2_147_483_647),
      fields: z.string().min(1).max(10_000),
    }),
    response: z.object({ authors: authorsSchema }),
  }),
  getRevision: endpoint(`GET ${path}/{id}/revision/{revision}`, {
    summary: 'Get a revision of a document with its values',
    description:
      '`{revision}` is a version number or `latest`. `values` has the shape of the current fields. ' +
      '`left` has the stored values that do not fit them, for example values of deleted fields ' +
      '(`field` null).',
    permission: 'document.read',
    response: z.object({ revision: wholeRevisionSchema }),
  }),
  listReferences: endpoint(`GET ${path}/{id}/references`, {
    summary: 'List the documents that refer to a document',
    description:
      'Contains the 100 documents that changed last, in models that the caller can read. `total` is the ' +
      'number of all of them. A reference in the draft or in the published state counts.',
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
    programs: 'apiToken',
    summary: 'Check whether values can be published, without saving them',
    description:
      'With `_id`, the values are checked as an update of that document, together with the values of ' +
      'its other fields. `isTooLarge`: more than 1 MiB of JSON.',
    permission: 'document.write.own',
    body: z.strictObject({ doc: documentInput }),
    response: z.object({
      isValid: z.boolean(),
      invalidFieldUIDs: z.array(z.string()),
      isTooLarge: z.boolean(),
      issues: z.array(issueSchema),
      /**
       * Issues that do not prevent publishing. `DuplicatedValue`: another draft has the same value in a unique field.
       * `MissingAsset`: an asset in a field or text is in the trash or deleted; `name` is its file name, if known.
       */
      warnings: z.array(issueSchema),
    }),
  }),
  validateField: endpoint(`POST ${path}/validateField`, {
    idempotent: { none: 'changes nothing' },
    audit: { none: 'looks and changes nothing' },
    summary: 'Check a value against the rules of a field, including uniqueness',
    description:
      '`field` is the uid of the field, `docId` the document that is edited. `errorMessage` is a ' +
      "sentence in the caller's language; for a rule broken inside the value, it only says that some " +
      'items or fields are invalid. `code` is the problem, with its `params`; `path` is its place in ' +
      'the value. Both `errorMessage` and `code` are null if there is no problem. `blocksPublishing` is ' +
      'false for a value that only other drafts have: the document published first keeps it.',
    permission: 'document.write.own',
    body: z.strictObject({ value: z.unknown(), field: z.string().max(64), docId: idSchema.nullish() }),
    response: z.object({
      errorMessage: z.string().nullable(),
      code: z.string().nullable(),
      /**
       * Path within the value. `''`: the whole value. Otherwise the index of an item, or a path into an item. Omitted
       * if there is no problem.
       */
      path: z.string().optional(),
      params: issueSchema.shape.params,
      blocksPublishing: z.boolean(),
    }),
  }),
  listMissingAssets: endpoint(`POST ${path}/missingAssets`, {
    idempotent: { none: 'changes nothing' },
    audit: { none: 'looks and changes nothing' },
    summary: 'List documents that would show deleted files if published',
    description:
      'Checks asset fields and texts for files that are deleted or in the trash. Unknown documents and ' +
      'documents without unpublished changes are omitted. Changes nothing.',
    permission: 'document.publish.own',
    body: bulk.body,
    response: z.object({
      documents: z.array(
        z.object({
          _id: idSchema,
          /** Number of issues, and the first 20 of them. `MissingAsset` contains the `name` of the file, if known. */
          count: z.int(),
          issues: z.array(issueSchema),
        }),
      ),
    }),
  }),
  bulkPublish: endpoint(`POST ${path}/bulkPublish`, {
    idempotent: true,
    audit: { act: 'document.publish' },
    programs: 'apiToken',
    summary: 'Publish documents',
    description:
      'Returns a result for each document, in the order of the request. Each document is published or ' +
      'refused separately, for example with `ValidationFailed` or `Forbidden`. Publishes the current ' +
      'states, or the revisions in `versions`: version numbers by `_id`. If such a revision differs from ' +
      'the current state, the current state becomes the draft. An unknown version is refused with ' +
      '`NotFound`.',
    permission: 'document.publish.own',
    body: bulk.body.extend({
      versions: z.record(idSchema, z.int().min(1).max(2_147_483_647)).optional(),
    }),
    response: bulk.response,
  }),
  bulkUnpublish: endpoint(`POST ${path}/bulkUnpublish`, {
    idempotent: true,
    audit: { act: 'document.unpublish' },
    programs: 'apiToken',
    summary: 'Unpublish documents',
    description:
      'Returns a result for each document, in the order of the request. Published values become the ' +
      'draft, unless there is a newer draft.',
    permission: 'document.publish.own',
    ...bulk,
  }),
  bulkDelete: endpoint(`POST ${path}/bulkDelete`, {
    idempotent: true,
    audit: { act: 'document.delete' },
    programs: 'apiToken',
    summary: 'Move documents to the trash',
    description:
      'Returns a result for each document, in the order of the request. Documents stay in the trash for ' +
      '30 days.',
    permission: 'document.write.own',
    ...bulk,
  }),
  bulkRestore: endpoint(`POST ${path}/bulkRestore`, {
    idempotent: true,
    audit: { act: 'document.restore' },
    programs: 'apiToken',
    summary: 'Restore documents from the trash within 30 days',
    description:
      'Returns a result for each document, in the order of the request. A published document is ' +
      'restored as a draft if its values can no longer be published: see `status`.',
    permission: 'document.write.own',
    ...bulk,
  }),
  listTrash: endpoint(`GET ${path}/trash`, {
    summary: 'List the documents deleted in the last 30 days, newest first',
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
    programs: 'apiToken',
    summary: 'Move documents to the top of the custom order, in this order',
    description:
      'Other documents with a place in the custom order follow in their previous order. Documents ' +
      'without a place stay without one. 400 for unknown or repeated ids.',
    permission: 'document.write.any',
    body: z.strictObject({ documentIds: z.array(idSchema).min(1).max(10_000) }),
    response: successSchema,
  }),
  resetCustomOrder: endpoint(`POST ${path}/resetCustomOrder`, {
    idempotent: true,
    audit: { act: 'document.resetOrder' },
    programs: 'apiToken',
    summary: 'Delete the custom order of a model',
    permission: 'document.write.any',
    response: successSchema,
  }),
}
