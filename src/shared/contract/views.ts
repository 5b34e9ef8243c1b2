import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import {
  cardSizes,
  columnWidths,
  coverAspects,
  filterOperators,
  maximumFilters,
  viewTypes,
} from '../views.ts'
import { idSchema, nameSchema, successSchema, timeSchema } from './common.ts'
import { documentStatuses } from './documents.ts'
import { endpoint } from './endpoint.ts'

/** The uid of a field, the path of a field inside its value (`seo.title`), or a name below `_sys`. */
const fieldPath = z
  .string()
  .max(400)
  .regex(/^[A-Za-z_][\w-]*(\.[\w-]+)*$/, { error: 'InvalidFormat' })

const conditionSchema = z.strictObject({
  field: fieldPath,
  op: z.enum(filterOperators),
  value: storableText(200),
})
export type ViewCondition = z.infer<typeof conditionSchema>

/**
 * A group combines its conditions by the opposite of the operator that surrounds the group: by `or` within `and`, and
 * by `and` within `or`.
 */
const groupSchema = z.strictObject({ group: z.array(conditionSchema).min(1).max(maximumFilters) })
export type ViewGroup = z.infer<typeof groupSchema>

/** Omitted settings have their default. */
export const viewSettingsSchema = z.strictObject({
  q: storableText(200).exactOptional(),
  /** The field to sort by, prefixed with `-` for descending order. */
  sort: z
    .string()
    .max(401)
    .regex(/^-?[A-Za-z_][\w-]*(\.[\w-]+)*$/, { error: 'InvalidFormat' })
    .exactOptional(),
  status: z.enum(documentStatuses).exactOptional(),
  /** Only documents created by the member who opens the view. */
  mine: z.literal(true).exactOptional(),
  /** Whether one matching filter is enough. By default all filters must match. */
  any: z.literal(true).exactOptional(),
  filters: z
    .array(z.union([conditionSchema, groupSchema]))
    .max(maximumFilters)
    .exactOptional(),
  /** Columns in addition to the title, in this order. */
  columns: z
    .array(
      z.strictObject({
        id: fieldPath,
        width: z.int().min(columnWidths.least).max(columnWidths.most).exactOptional(),
        /** Whether the column stays visible when the table is scrolled horizontally. */
        sticky: z.literal(true).exactOptional(),
      }),
    )
    .max(100)
    .exactOptional(),
  /** For galleries: the field whose picture is shown, its aspect ratio, and the size of the cards. */
  cover: fieldPath.exactOptional(),
  aspect: z.enum(coverAspects).exactOptional(),
  size: z.enum(cardSizes).exactOptional(),
  date: fieldPath.exactOptional(),
})
export type ViewSettings = z.infer<typeof viewSettingsSchema>

export const viewSchema = z.object({
  uid: idSchema,
  modelUid: z.string(),
  name: z.string(),
  type: z.enum(viewTypes),
  /** Whether only its creator sees the view. */
  personal: z.boolean(),
  settings: viewSettingsSchema,
  /** Incremented when the view changes. Sent as the base version of the next change. */
  version: z.int(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type View = z.infer<typeof viewSchema>

const path = '/api/project/{p}/app/{a}/appView' as const

export const viewEndpoints = {
  listAppViews: endpoint(`GET ${path}`, {
    summary: "List the views of an app's models: shared views, then your own",
    description:
      'Views of models that the caller cannot read are omitted, and so are settings of fields that no ' +
      'longer exist.',
    permission: 'document.read',
    response: z.object({ appViews: z.array(viewSchema) }),
  }),
  createAppView: endpoint(`POST ${path}`, {
    idempotent: true,
    audit: { act: 'view.create', of: 'appView', shows: ['name', 'type'] },
    summary: 'Create a view after the others',
    description:
      'A view of the caller with `personal`; otherwise a shared view, which requires the right ' +
      '`view.manage`. A model can have 100 shared views, and each member 100 views of their own for it.',
    permission: 'document.read',
    body: z.strictObject({
      data: z.strictObject({
        modelUid: z.string().max(64),
        name: nameSchema,
        type: z.enum(viewTypes),
        personal: z.boolean().default(false),
        settings: viewSettingsSchema.default({}),
      }),
    }),
    response: z.object({ appView: viewSchema }),
  }),
  updateAppView: endpoint(`PUT ${path}/{id}`, {
    audit: { act: 'view.update', of: 'appView', shows: ['name', 'type'] },
    summary: 'Update a view by its uid',
    description:
      'A shared view requires the right `view.manage`. Omitted properties stay unchanged; `settings` ' +
      'are replaced completely. With the `version` that the caller read, a change made since then ' +
      'returns 409 `VersionConflict`.',
    permission: 'document.read',
    body: z.strictObject({
      data: z.strictObject({
        name: nameSchema.optional(),
        type: z.enum(viewTypes).optional(),
        settings: viewSettingsSchema.optional(),
        version: z.int().optional(),
      }),
    }),
    response: z.object({ appView: viewSchema }),
  }),
  deleteAppView: endpoint(`DELETE ${path}/{id}`, {
    audit: { act: 'view.delete' },
    summary: 'Delete a view by its uid',
    description: 'A shared view requires the right `view.manage`.',
    permission: 'document.read',
    response: successSchema,
  }),
  updateAppViewOrder: endpoint(`POST ${path}:updateOrder`, {
    idempotent: true,
    audit: { act: 'view.reorder' },
    summary: "Change the order of a model's views",
    description:
      "`appViewIds` must contain exactly the uids of the model's shared views, or with `personal` of " +
      "the caller's own. Shared views require the right `view.manage`.",
    permission: 'document.read',
    body: z.strictObject({
      modelUid: z.string().max(64),
      personal: z.boolean().default(false),
      appViewIds: z.array(idSchema).max(1000),
    }),
    response: z.object({ appViews: z.array(viewSchema) }),
  }),
}
