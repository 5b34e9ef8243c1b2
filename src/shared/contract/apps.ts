import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { uploadLimits } from './assets.ts'
import { changedUidSchema, idSchema, nameSchema, successSchema, timeSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'
import { roleUidSchema } from './spaces.ts'

const emojiSchema = z.strictObject({ type: z.literal('emoji'), value: storableText(32).min(1) })

/** A picture. `value`: its path on the installation's origin. The delivery API returns absolute URLs. */
export const appPictureSchema = z.object({ type: z.literal('image'), value: z.string() })

export const appIconSchema = z.discriminatedUnion('type', [emojiSchema, appPictureSchema])

export const accessSettingsSchema = z.strictObject({
  /** `open`: any member of the space may join. */
  visibility: z.enum(['open', 'private']),
  defaultRole: roleUidSchema,
})

export const appSchema = z.object({
  uid: z.string(),
  name: z.string(),
  description: z.string(),
  icon: appIconSchema.nullable(),
  cover: appPictureSchema.nullable(),
  accessSettings: accessSettingsSchema,
  /**
   * Whether the caller has joined the app. A member whose role in the space allows reading documents may enter without
   * joining.
   */
  joined: z.boolean(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type App = z.infer<typeof appSchema>

const appInput = {
  uid: uidSchema('app'),
  name: nameSchema,
  description: storableText(1000).optional(),
  icon: emojiSchema.nullish(),
}

export const appEndpoints = {
  listApps: endpoint('GET /api/project/{p}/app', {
    summary: 'List the apps that you can see, in the order of the space',
    permission: 'space.view',
    response: z.object({ apps: z.array(appSchema) }),
  }),
  createApp: endpoint('POST /api/project/{p}/app', {
    idempotent: true,
    audit: { act: 'app.create', of: 'app', shows: ['uid', 'name'] },
    summary: 'Create an app, empty or from a template',
    description:
      'For a template, the response is sent immediately and `job` creates the contents. Omitted ' +
      'properties are taken from the template. An omitted uid gets a number if the uid of the template ' +
      'is taken. 409 `AppUidIsAlreadyInUse` for a uid in `data`.',
    permission: 'app.create',
    body: z.union([
      z.strictObject({ data: z.strictObject(appInput) }),
      z.strictObject({
        appTemplateId: z.string().max(64),
        /** Version of one of the space’s own templates. Default: the newest version. */
        appTemplateVersion: z.int().min(1).max(1_000_000).optional(),
        data: z.strictObject({ uid: appInput.uid.optional(), name: appInput.name.optional() }).optional(),
      }),
    ]),
    response: z.object({
      app: appSchema,
      /** The job that creates the contents of the template. null: the app was created empty. */
      job: idSchema.nullable(),
    }),
  }),
  updateAppOrder: endpoint('POST /api/project/{p}/app:updateOrder', {
    idempotent: true,
    audit: { act: 'app.reorder' },
    summary: 'Change the order of the apps',
    description: '`appIds` must contain exactly the uids of the apps that the caller can see.',
    permission: 'app.order',
    body: z.strictObject({ appIds: z.array(z.string().max(64)).max(1000) }),
    response: z.object({ apps: z.array(appSchema) }),
  }),
  getApp: endpoint('GET /api/project/{p}/app/{a}', {
    summary: 'Get an app',
    permission: 'space.view',
    response: z.object({ app: appSchema }),
  }),
  updateApp: endpoint('PUT /api/project/{p}/app/{a}', {
    audit: { act: 'app.update', of: 'app', shows: ['uid', 'name', 'description'] },
    summary: 'Update the name, uid, description, icon or cover of an app',
    description: '`null` removes the icon or the cover. 409 `AppUidIsAlreadyInUse`.',
    permission: 'app.manage',
    body: z.strictObject({
      data: z.strictObject({
        ...appInput,
        uid: changedUidSchema.optional(),
        name: appInput.name.optional(),
        cover: z.null().optional(),
      }),
    }),
    response: z.object({ app: appSchema }),
  }),
  uploadAppIcon: endpoint('POST /api/project/{p}/app/{a}/icon', {
    idempotent: { none: 'the same picture takes its own place' },
    audit: { act: 'app.picture', of: 'app' },
    summary: 'Upload the icon of an app (multipart, one part `file`)',
    description: 'The picture is cropped to a square of at most 512 pixels.',
    permission: 'app.manage',
    body: { kind: 'multipart', files: 1, bytes: uploadLimits.bytes },
    transaction: 'own',
    maximumSeconds: 120,
    response: z.object({ app: appSchema }),
  }),
  uploadAppCover: endpoint('POST /api/project/{p}/app/{a}/cover', {
    idempotent: { none: 'the same picture takes its own place' },
    audit: { act: 'app.picture', of: 'app' },
    summary: 'Upload the cover of an app (multipart, one part `file`)',
    description:
      'The picture is scaled down to at most 1,600 pixels per side. An SVG is always drawn at that ' +
      'size.',
    permission: 'app.manage',
    body: { kind: 'multipart', files: 1, bytes: uploadLimits.bytes },
    transaction: 'own',
    maximumSeconds: 120,
    response: z.object({ app: appSchema }),
  }),
  updateAppAccess: endpoint('PATCH /api/project/{p}/app/{a}', {
    audit: { act: 'app.access', of: 'app', shows: ['visibility', 'defaultRole'] },
    summary: 'Update who can join an app, and the role they get',
    description:
      'The caller needs all rights of a new default role, and of the default role of an app that ' +
      'becomes open (400 `InvalidRoleChange`). Members who left the app rejoin with the role that they ' +
      'had (`listLeftMembers`).',
    permission: 'app.manage',
    body: z.strictObject({ accessSettings: accessSettingsSchema }),
    response: z.object({ app: appSchema }),
  }),
  emptyAppCache: endpoint('DELETE /api/project/{p}/app/{a}/cache', {
    audit: { act: 'app.emptyCache', of: 'app' },
    summary: 'Empty the delivery cache of an app',
    description:
      "After the response, every process reads the app's content from the database again. Needed only " +
      'after changes made directly in the database.',
    permission: 'app.manage',
    response: z.object({ app: appSchema }),
  }),
  deleteApp: endpoint('DELETE /api/project/{p}/app/{a}', {
    audit: { act: 'app.delete' },
    summary: 'Delete an app with all its content',
    description: 'Afterwards the app cannot be read or written, and its uid can be used again.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
