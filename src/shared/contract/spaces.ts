import { z } from 'zod'
import { appRights, spaceRights } from '../permissions.ts'
import { isTimeZone } from '../time-zones.ts'
import { changedUidSchema, nameSchema, successSchema, timeSchema, uidSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** uid of a role: built-in, or a role of the space or of an app. */
export const roleUidSchema = z.string().max(64)

/** A space (paths and bodies also call it project). */
export const spaceSchema = z.object({
  uid: z.string(),
  name: z.string(),
  plan: z.string(),
  /** IANA name of the time zone in which days begin and times are shown, in the admin and in CSV exports. */
  timeZone: z.string(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type Space = z.infer<typeof spaceSchema>

export const planSchema = z.object({ key: z.string(), name: z.string() })

export const spaceEndpoints = {
  listSpaces: endpoint('GET /api/project', {
    bySso: true,
    summary: 'List the spaces of your account',
    description:
      "Sorted by creation, oldest first. A session that was created only by a space's SSO gets only " +
      'that space. Also returns whether this session can create spaces.',
    permission: 'account',
    response: z.object({ projects: z.array(spaceSchema), mayCreateSpaces: z.boolean() }),
  }),
  createSpace: endpoint('POST /api/project', {
    idempotent: { none: 'a uid is given to one space' },
    audit: { act: 'space.create', of: 'project', shows: ['uid', 'name'] },
    summary: 'Create a space with the caller as its admin',
    description:
      '`template: "blog"` adds the sample blog app, whose contents are created in a job. 403 ' +
      '`SpaceCreationIsRestricted` if only admins of the installation can create spaces. 409 ' +
      '`SpaceUidIsAlreadyInUse`, also if the uids differ only in case.',
    permission: 'account',
    body: z.strictObject({
      project: z.strictObject({ uid: uidSchema('space'), name: nameSchema }),
      template: z.enum(['blog']).optional(),
    }),
    response: z.object({ project: spaceSchema }),
  }),
  getSpace: endpoint('GET /api/project/{p}', {
    summary: 'Get a space and its plan',
    permission: 'space.view',
    response: z.object({ project: spaceSchema, plan: planSchema }),
  }),
  updateSpace: endpoint('PUT /api/project/{p}', {
    audit: { act: 'space.update', of: 'project', shows: ['uid', 'name', 'timeZone'] },
    summary: 'Update the name, uid or time zone of a space',
    description:
      'The time zone is an IANA name, for example `Asia/Tokyo`. 409 `SpaceUidIsAlreadyInUse`, also if ' +
      'the uids differ only in case.',
    permission: 'space.update',
    body: z.strictObject({
      project: z.strictObject({
        uid: changedUidSchema.optional(),
        name: nameSchema.optional(),
        timeZone: z.string().refine(isTimeZone, { error: 'InvalidValue' }).optional(),
      }),
    }),
    response: z.object({ project: spaceSchema }),
  }),
  deleteSpace: endpoint('DELETE /api/project/{p}', {
    audit: { act: 'space.delete' },
    summary: 'Delete a space with all its content',
    description:
      'Afterwards the space cannot be read or written, its tokens do not work, and its uid can be used ' +
      'again.',
    permission: 'space.delete',
    response: successSchema,
  }),
  getCurrentRole: endpoint('GET /api/project/{p}/currentRole', {
    summary: 'Get your role in the space and your rights in it',
    permission: 'space.view',
    response: z.object({
      currentRole: z.object({
        uid: roleUidSchema.nullable(),
        rights: z.array(z.enum(spaceRights)),
        /** The rights in `rights`, and the rights on apps that the role in the space grants in every app. */
        held: z.array(z.enum([...spaceRights, ...appRights])),
      }),
    }),
  }),
}
