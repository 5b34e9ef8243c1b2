import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { changedUidSchema, nameSchema, successSchema, timeSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { roleUidSchema } from './spaces.ts'

/** An app's picture: an emoji today, an image of the media library later (the delivery API's `{type, value}`). */
const iconSchema = z.strictObject({ type: z.literal('emoji'), value: storableText(32).min(1) })

export const accessSettingsSchema = z.strictObject({
  /** `open`: any member of the space may join, with the default role. */
  visibility: z.enum(['open', 'private']),
  defaultRole: roleUidSchema,
})

export const appSchema = z.object({
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  icon: iconSchema.nullable(),
  accessSettings: accessSettingsSchema,
  /** Has the caller joined? Space admins may enter without. */
  joined: z.boolean(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type App = z.infer<typeof appSchema>

const appInput = {
  uid: uidSchema('app'),
  name: nameSchema,
  description: storableText(1000).optional(),
  icon: iconSchema.nullish(),
}

export const appEndpoints = {
  listApps: endpoint('GET /api/project/{p}/app', {
    summary: 'The apps the caller may see, in the space’s order.',
    permission: 'space.view',
    response: z.object({ apps: z.array(appSchema) }),
  }),
  createApp: endpoint('POST /api/project/{p}/app', {
    summary: 'Make an app. `appTemplateId: "blog"` makes the sample blog.',
    permission: 'app.create',
    body: z.union([
      z.strictObject({ data: z.strictObject(appInput) }),
      z.strictObject({ appTemplateId: z.enum(['blog']) }),
    ]),
    response: z.object({ app: appSchema }),
  }),
  updateAppOrder: endpoint('POST /api/project/{p}/app:updateOrder', {
    summary: 'The new order of the apps: exactly the uids the caller sees.',
    permission: 'app.order',
    body: z.strictObject({ appIds: z.array(z.string().max(64)).max(1000) }),
    response: z.object({ apps: z.array(appSchema) }),
  }),
  getApp: endpoint('GET /api/project/{p}/app/{a}', {
    summary: 'One app.',
    permission: 'space.view',
    response: z.object({ app: appSchema }),
  }),
  updateApp: endpoint('PUT /api/project/{p}/app/{a}', {
    summary: 'Change an app’s name, uid, description or icon.',
    permission: 'app.manage',
    body: z.strictObject({
      data: z.strictObject({ ...appInput, uid: changedUidSchema.optional(), name: appInput.name.optional() }),
    }),
    response: z.object({ app: appSchema }),
  }),
  updateAppAccess: endpoint('PATCH /api/project/{p}/app/{a}', {
    summary: 'Who may join the app.',
    permission: 'app.manage',
    body: z.strictObject({ accessSettings: accessSettingsSchema }),
    response: z.object({ app: appSchema }),
  }),
  deleteApp: endpoint('DELETE /api/project/{p}/app/{a}', {
    summary: 'Delete an app with all it holds.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
