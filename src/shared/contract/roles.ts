import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { uidPattern } from '../identifiers.ts'
import { appRights, documentRights, spaceRights } from '../permissions.ts'
import { idSchema, nameSchema, successSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

const rightSchema = z.enum([...spaceRights, ...appRights])
const documentRightsSchema = z.array(z.enum(documentRights)).max(documentRights.length)

/** Exceptions for one model: other rights on its documents, and read-only fields (`_id`s). */
const roleModelSchema = z.object({
  rights: documentRightsSchema.exactOptional(),
  readOnly: z.array(idSchema).max(1000).exactOptional(),
})

export const roleSchema = z.object({
  uid: z.string(),
  /** Custom name. '' for built-in roles, whose names are translated. */
  name: z.string(),
  description: z.string(),
  target: z.enum(['project', 'app']),
  builtIn: z.boolean(),
  rights: z.array(rightSchema),
  models: z.record(idSchema, roleModelSchema),
  version: z.int(),
  /** Number of members and pending invitations with the role. */
  members: z.int(),
  /**
   * Whether the role is assigned automatically: as the default role of the app, by a group mapping, or as the default
   * of the group mappings.
   */
  isDefault: z.boolean(),
})
export type Role = z.infer<typeof roleSchema>

/** uid of a new role. The prefixes of built-in roles are reserved. */
const newRoleUid = z
  .string()
  .regex(uidPattern, { error: 'InvalidFormat' })
  .refine((uid) => !/^(?:pjt|app)-/.test(uid), { error: 'ReservedWord' })

const content = {
  name: nameSchema,
  description: storableText(500).optional(),
  rights: z.array(rightSchema).max(100),
  models: z.record(idSchema, roleModelSchema.strict()).optional(),
}
const body = <const T extends 'project' | 'app'>(target: T) => ({
  create: z.strictObject({
    data: z.strictObject({ ...content, uid: newRoleUid.optional(), target: z.literal(target).optional() }),
  }),
  update: z.strictObject({
    data: z.strictObject({
      name: content.name.optional(),
      description: content.description,
      rights: content.rights.optional(),
      models: content.models,
      target: z.literal(target).optional(),
      /**
       * The version that the caller edited. If the current version is another one, the change is refused with
       * `VersionConflict`.
       */
      version: z.int().optional(),
    }),
  }),
})
const answer = z.object({ role: roleSchema })

export const roleEndpoints = {
  listRoles: endpoint('GET /api/project/{p}/role', {
    summary: 'List the roles of a space',
    permission: 'space.view',
    response: z.object({ roles: z.array(roleSchema) }),
  }),
  createRole: endpoint('POST /api/project/{p}/role', {
    idempotent: true,
    audit: { act: 'role.create', of: 'role', shows: ['name', 'rights', 'models'] },
    summary: 'Create a role for the space',
    description:
      'It can contain only rights that the caller has, and must contain `space.view`. 400 ' +
      '`InvalidRoleCreation` lists what is wrong. A space can have 200 roles of its own.',
    permission: 'role.manage',
    body: body('project').create,
    response: answer,
  }),
  updateRole: endpoint('PUT /api/project/{p}/role/{id}', {
    audit: { act: 'role.update', of: 'role', shows: ['name', 'rights', 'models'] },
    summary: 'Update a role of the space',
    description:
      'Takes effect with the next request of its members. Omitted properties stay. The caller needs all ' +
      'rights of the role before and after the change (400 `InvalidRoleUpdate`), and cannot change the ' +
      'rights of their own role (409 `ChangingOwnRole`). At least one member must keep every right (409 ' +
      '`OtherAdminMembersNotExist`), and so must the account that is exempt from required SSO (409 ' +
      '`SsoExemptAdminIsNeeded`). 409 `VersionConflict` for another `version` than the current one.',
    permission: 'role.manage',
    body: body('project').update,
    response: answer,
  }),
  deleteRole: endpoint('DELETE /api/project/{p}/role/{id}', {
    audit: { act: 'role.delete' },
    summary: 'Delete an unused role of the space',
    description:
      '409 `RoleIsStillInUse` while members or open invitations have the role, or group mappings assign ' +
      'it. The caller needs all rights of the role (400 `InvalidRoleUpdate`). 403 `Forbidden` for a ' +
      'built-in role.',
    permission: 'role.manage',
    response: successSchema,
  }),
  listAppRoles: endpoint('GET /api/project/{p}/app/{a}/role', {
    summary: 'List the roles of an app',
    permission: 'space.view',
    response: z.object({ roles: z.array(roleSchema) }),
  }),
  createAppRole: endpoint('POST /api/project/{p}/app/{a}/role', {
    idempotent: true,
    audit: { act: 'role.create', of: 'role', shows: ['name', 'rights', 'models'] },
    summary: 'Create a role for the app',
    description:
      'It can contain only rights in the app that the caller has, and must contain `document.read`, at ' +
      'least for one model. 400 `InvalidRoleCreation` lists what is wrong. An app can have 200 roles of ' +
      'its own.',
    permission: 'app.manage',
    body: body('app').create,
    response: answer,
  }),
  updateAppRole: endpoint('PUT /api/project/{p}/app/{a}/role/{id}', {
    audit: { act: 'role.update', of: 'role', shows: ['name', 'rights', 'models'] },
    summary: 'Update a role of the app',
    description:
      'Takes effect with the next request of its members. Omitted properties stay. The caller needs all ' +
      'rights of the role before and after the change (400 `InvalidRoleUpdate`), and cannot change the ' +
      'rights of their own role (409 `ChangingOwnRole`). 409 `VersionConflict` for another `version` ' +
      'than the current one.',
    permission: 'app.manage',
    body: body('app').update,
    response: answer,
  }),
  deleteAppRole: endpoint('DELETE /api/project/{p}/app/{a}/role/{id}', {
    audit: { act: 'role.delete' },
    summary: 'Delete an unused role of the app',
    description:
      '409 `RoleIsStillInUse` while members or open invitations have the role, group mappings assign ' +
      'it, or it is the default role of the app. The caller needs all rights of the role (400 ' +
      '`InvalidRoleUpdate`). 403 `Forbidden` for a built-in role. Members who left the app with the ' +
      'role rejoin with the built-in role Subscriber.',
    permission: 'app.manage',
    response: successSchema,
  }),
}
