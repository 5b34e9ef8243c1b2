import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { leftOutKinds, publicationChoices, publicationStates } from '../publication-states.ts'
import { nameProblem } from '../unicode.ts'
import { nameSchema, uidSchema } from './common.ts'
import { customTypeInput } from './custom-types.ts'
import { fieldInputSchema, modelInput } from './models.ts'

/** Why a type is offered for a field. `code`: key of the sentence under `why` in the feature's translations. */
const reasonSchema = z.object({
  code: z.string().max(40),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})
export type MoveReason = z.infer<typeof reasonSchema>

/**
 * How imported values differ from the source:
 * - `asText`: a number, a boolean, the URL of a file or the `_id` of a document, as text.
 * - `asJson`: structured values as JSON.
 * - `sanitized`: HTML without disallowed parts.
 * - `rendered`: HTML that is rendered anew from Markdown.
 * - `normalized`: another notation of the same value (colour, emoji, time, HTML), or the nearest number that JavaScript
 *   can store.
 * - `emptied`: another notation of an empty value.
 * - `wrapped`: a single value as a list of one.
 * - `shifted`: empty list entries, which only lists of texts keep.
 * - `leftOut`: numbers beyond the safe integers, and ids of missing files. They are not imported; each is reported.
 */
export const moveDifferences = [
  'asText',
  'asJson',
  'sanitized',
  'rendered',
  'normalized',
  'emptied',
  'wrapped',
  'shifted',
  'leftOut',
] as const
export type MoveDifference = (typeof moveDifferences)[number]

const typeChoiceSchema = z.object({
  /** `type`, `multiple` and the settings of the type, in the shape of a field. */
  settings: z.looseObject({ type: z.string(), multiple: z.boolean() }),
  /** Estimated probability, 0 to 1, that the source field had this type. */
  confidence: z.number().min(0).max(1),
  why: reasonSchema,
  /**
   * Kinds of differences from the source values, with the number of values. Some differences of HTML and Markdown are
   * determined only for the first 20 values, so their number may be too small.
   */
  differences: z.array(z.object({ code: z.enum(moveDifferences), count: z.int() })),
})
export type MoveTypeChoice = z.infer<typeof typeChoiceSchema>

export const plannedFieldSchema = z.object({
  /** The key of the values in the source. */
  from: z.string(),
  /**
   * Input of `createModel`, including the settings. Corrections of a plan can change only this property of a field, and
   * the order of fields.
   */
  field: fieldInputSchema.extend({ name: z.string().max(100), tab: z.string().nullish() }),
  /**
   * The types that the field can have, the most likely first, each with its differences from the source values. The
   * first type is the default.
   */
  choices: z.array(typeChoiceSchema),
  /** Up to three display values, shortened. */
  samples: z.array(z.string()),
  /**
   * Number of non-empty values (per document, or per item of a custom type), and whether the field can be `required`
   * and `unique`: all values must satisfy the rule. Both are false for new fields of existing models and custom types.
   */
  filled: z.int(),
  allows: z.object({ required: z.boolean(), unique: z.boolean() }),
})
export type PlannedField = z.infer<typeof plannedFieldSchema>

/** Contents of a model that have the same visibility in the source. */
export const plannedStateSchema = z.object({
  key: z.string().max(200),
  state: z.enum(publicationStates),
  /**
   * The statement of the source, such as `status: archived`, with at most 100 characters. `''`: the source makes none.
   */
  statement: z.string(),
  count: z.int(),
  /** Number of these contents that are published with newer edits. */
  changed: z.int(),
  /**
   * Up to ten titles. The title of a scheduled content is followed by the time at which the source would publish it.
   */
  examples: z.array(z.string()),
  choice: z.enum(publicationChoices),
})
export type PlannedState = z.infer<typeof plannedStateSchema>

export const plannedModelSchema = z.object({
  /** The uid of the model in the source. */
  from: z.string(),
  ...modelInput,
  uid: z.string(),
  // A plan accepts any name; corrections are checked.
  name: z.string().max(100),
  description: storableText(1000),
  fields: z.array(plannedFieldSchema),
  /** uid of the title field. null: no title field. */
  titleField: z.string().max(64).nullable(),
  /**
   * The reference by which the model was discovered, such as `article.author`. null: it was not discovered by a
   * reference.
   */
  foundBy: z.string().nullable(),
  /**
   * `copies`: the model's file is missing in the archive, so its documents are built from the copies in other
   * documents.
   */
  source: z.enum(['contents', 'copies']),
  /** Number of documents by the status that they will have. */
  documents: z.object({
    draft: z.int(),
    published: z.int(),
    /** Published, with newer edits. */
    changed: z.int(),
    /** Drafts that were published before. */
    unpublished: z.int(),
  }),
  /** States of the contents, the most public first. Omitted for sources without states, such as Newt's API. */
  states: z.array(plannedStateSchema).exactOptional(),
})
export type PlannedModel = z.infer<typeof plannedModelSchema>

export const plannedCustomTypeSchema = z.object({
  /** The uid of the type in the source. null: the source does not name it. */
  from: z.string().nullable(),
  ...customTypeInput,
  uid: z.string(),
  // A plan accepts any name; corrections are checked.
  name: z.string().max(100),
  description: storableText(1000),
  fields: z.array(plannedFieldSchema),
  /** Number of values of this type. */
  items: z.int(),
  /** Paths of the fields that use it: `article.sections`. */
  usedBy: z.array(z.string()),
})
export type PlannedCustomType = z.infer<typeof plannedCustomTypeSchema>

/**
 * Problem codes and their severity. `stops`: prevents the import until it is resolved. `warning`: the result will
 * differ from the source. `note`: information. The translations contain a sentence for each code under `problems`.
 */
export const moveProblems = {
  /** The app's uid is taken in this space. */
  appUidTaken: 'stops',
  /** Another app of the same archive would get the same uid. */
  appUidTwice: 'stops',
  /**
   * Documents of other apps of this space have the same `_id`s. Both documents are kept, because an `_id` is unique per
   * model only.
   */
  documentIdsTaken: 'note',
  /**
   * Assets of this space, possibly in the trash, have the same `_id`s. They are the same files, or the existing files
   * are kept.
   */
  assetIdsTaken: 'note',
  /** A uid that is reserved or invalid here was changed: `params.from`, `params.to`. */
  uidChanged: 'warning',
  /** A uid is kept although it is reserved for future features of the delivery API. */
  uidReserved: 'note',
  /** Contents that cannot be read are not imported. */
  unreadableContents: 'warning',
  /** Characters that the database cannot store. NUL is removed; unpaired surrogates and invalid UTF-8 become U+FFFD. */
  replacedCharacters: 'warning',
  /** Documents are imported, but are too large to be saved again unchanged. */
  largeContents: 'warning',
  /** Contents without a valid `_id` get new ones. */
  idsMade: 'warning',
  /** More fields than a model may have (`params.maximum`); the others are not imported. */
  tooManyFields: 'warning',
  /** References to documents that do not exist. */
  brokenReferences: 'warning',
  /** A field refers to documents of more models than allowed. `params.models`: the first of them. */
  severalTargets: 'warning',
  /** A model could not be read, so its documents are copies from documents that refer to them. */
  copiesOnly: 'warning',
  /** Date values that are not dates, such as `0000-00-00`. The examples are titles, or table rows with the column. */
  undatedContents: 'warning',
  /** Pictures in texts that stay on another host. The examples are titles with the host. */
  picturesElsewhere: 'warning',
  /** Shortcodes of WordPress in texts, imported unchanged. The examples are titles with the shortcode names. */
  shortcodes: 'warning',
  /** Pictures and files that are missing in the archive. */
  missingAssets: 'warning',
  /** Files in file fields for which the archive contains only an id. The examples are the contents. */
  lostFiles: 'warning',
  /** Contents that lack some of their fields, because these fields could not be saved. */
  missingFields: 'warning',
  /** Contents that were too large to be exported with their references. Files and references are ids only. */
  shallowContents: 'note',
  /** Contents that the archive itself reports as missing. */
  missingContents: 'warning',
  /** Values that only a text field can store, for example because they have several types. */
  mixedKinds: 'warning',
  /** No document has a value, and the source does not state the type of the field. It becomes a text. */
  emptyFields: 'note',
  /** The model has no documents, so its fields are unknown unless the source states them. */
  emptyModels: 'note',
  /** Empty entries of lists are removed, and later entries move up. */
  emptyEntries: 'warning',
  /** Numbers beyond the safe integers of JavaScript. The field becomes a text, so that they are kept. */
  longNumbers: 'note',
  /** Almost all values of the field can be stored as numbers. The few others are left out. */
  numbersLeftOut: 'warning',
  /** HTML from which scripts and the like are removed. The examples are kinds with counts (`<font> ×3`). */
  sanitizedHtml: 'warning',
  /**
   * The file is not an export of a supported service. The import starts only after a user has confirmed the contents.
   */
  unconfirmedSource: 'stops',
  /** HTML of the Quill editor: indented lists become nested lists, other indents and alignment become styles. */
  quillHtml: 'note',
  /** Documents without a title. They cannot be saved again without one. */
  emptyTitles: 'note',
  /**
   * Data that the source's API does not provide: settings of fields, names, roles, views, revisions, webhooks, forms.
   */
  notInApi: 'note',
} as const
export type MoveProblemCode = keyof typeof moveProblems

/**
 * Problems of the contents and files of a source. They do not depend on the models into which the contents are
 * imported.
 */
export const contentProblems: ReadonlySet<MoveProblemCode> = new Set([
  'unconfirmedSource',
  'unreadableContents',
  'replacedCharacters',
  'largeContents',
  'brokenReferences',
  'undatedContents',
  'picturesElsewhere',
  'shortcodes',
  'missingAssets',
  'lostFiles',
  'missingFields',
  'shallowContents',
  'missingContents',
])
const problemCodes = Object.keys(moveProblems) as [MoveProblemCode, ...MoveProblemCode[]]

export const moveProblemSchema = z.object({
  code: z.enum(problemCodes),
  /** `article`, `article.author`, `article.sections.label`; `''` for the whole import. */
  path: z.string(),
  count: z.int(),
  /** Up to ten: `_id`s, URLs, keys, file names, shortened values. */
  examples: z.array(z.string()),
  params: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
})
export type MoveProblem = z.infer<typeof moveProblemSchema>

/** Sources of imports: an archive of Newt's API, or an export that was converted to an archive. */
export const moveSources = [
  'newt',
  'newt-export',
  'wordpress',
  'microcms',
  'contentful',
  'strapi',
  'directus',
  'ghost',
  'sanity',
  'markdown',
  'csv',
  'json',
] as const

export const appNamesSchema = z.object({ uid: z.string().max(64), name: storableText(100) })
const correctedNamesSchema = appNamesSchema.extend({ name: nameSchema })
/** The uid and name that a user chooses for an app exported by Imori. The uid must also be allowed here. */
export const chosenNamesSchema = correctedNamesSchema.extend({ uid: uidSchema('app') })
export const countsSchema = z.object({
  documents: z.int(),
  /**
   * Number of files of the media library to be created, and their size in bytes. For an update or an import into an
   * app, also the files to be replaced.
   */
  assets: z.int(),
  bytes: z.int(),
})

/** The plan of an import, computed before anything is written. */
export const movePlanSchema = z.object({
  source: z.object({
    kind: z.enum(moveSources),
    space: z.string(),
    app: z.string(),
    /** The status in the archive's manifest (docs/archive-format.md). */
    status: z.enum(['complete', 'gaps', 'partial']),
    finishedAt: z.string(),
  }),
  app: appNamesSchema,
  models: z.array(plannedModelSchema),
  /** In dependency order: each type after the types it uses. */
  customTypes: z.array(plannedCustomTypeSchema),
  counts: countsSchema,
  problems: z.array(moveProblemSchema),
  /** Data that is not imported because the source does not publish it. `name`: as in the source. */
  leftOut: z
    .array(z.object({ kind: z.enum(leftOutKinds), name: z.string(), count: z.int() }))
    .exactOptional(),
  /** Whether a user has confirmed the contents. Only for files that are not exports of a supported service. */
  confirmed: z.boolean().exactOptional(),
})
export type MovePlan = z.infer<typeof movePlanSchema>
export type PlannedParts = Pick<MovePlan, 'app' | 'models' | 'customTypes'>

const carriedNamesSchema = z.object({ uid: z.string(), name: z.string() })

/** The plan of an archive written by an Imori installation. No part is guessed, and the app is recreated as it was. */
export const carriedPlanSchema = z.object({
  source: z.object({
    kind: z.enum(['imori']),
    space: z.string(),
    app: z.string(),
    status: z.enum(['complete']),
    finishedAt: z.string(),
    origin: z.string(),
    /**
     * Whether the archive is signed by this installation (`own`), by another one (`other`) or not signed (`none`).
     * `key`: the key of the signature. For an import into an app, `state` is always `none`.
     */
    signature: z.object({ state: z.enum(['own', 'other', 'none']), key: z.string().nullable() }),
  }),
  app: appNamesSchema,
  ids: z.enum(['kept', 'new']),
  models: z.array(
    carriedNamesSchema.extend({
      documents: z.int(),
      fields: z.array(carriedNamesSchema.extend({ type: z.string() })),
    }),
  ),
  customTypes: z.array(carriedNamesSchema),
  /** Number of shared views. */
  views: z.int(),
  roles: z.array(carriedNamesSchema),
  /** Number of revisions. Omitted if the archive contains no revisions. */
  revisions: z.int().exactOptional(),
  counts: countsSchema,
  problems: z.array(moveProblemSchema),
})
export type CarriedPlan = z.infer<typeof carriedPlanSchema>
export const anySourceSchema = z.discriminatedUnion('kind', [
  movePlanSchema.shape.source,
  carriedPlanSchema.shape.source,
])
export type AnyMovePlan = MovePlan | CarriedPlan
export const isCarried = (plan: AnyMovePlan): plan is CarriedPlan => plan.source.kind === 'imori'

export const carriedCorrectionsSchema = z.strictObject({
  app: chosenNamesSchema,
  ids: carriedPlanSchema.shape.ids,
})
export type CarriedCorrections = z.infer<typeof carriedCorrectionsSchema>

/**
 * The parts of a plan that can be corrected: names, descriptions, uids, title fields, the order, the `choice` of each
 * state, the confirmation, and the `field` of each field.
 */
export const moveCorrectionsSchema = movePlanSchema
  .pick({ models: true, customTypes: true, confirmed: true })
  .extend({ app: correctedNamesSchema })
  .superRefine(({ models, customTypes }, context) => {
    const check = (name: string, ...path: (string | number)[]) => {
      const message = name.trim() === '' ? 'Required' : nameProblem(name)
      if (message) context.addIssue({ code: 'custom', message, path })
    }
    for (const [kind, made] of Object.entries({ models, customTypes }))
      for (const [index, { name, fields }] of made.entries()) {
        check(name, kind, index, 'name')
        for (const [at, { field }] of fields.entries()) {
          check(field.name, kind, index, 'fields', at, 'field', 'name')
          if (field.tab) check(field.tab, kind, index, 'fields', at, 'field', 'tab')
        }
      }
  })
export type MoveCorrections = z.infer<typeof moveCorrectionsSchema>
