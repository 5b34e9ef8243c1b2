import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { endpoint } from './endpoint.ts'
import { roleUidSchema } from './spaces.ts'

const groupName = storableText(256).trim().min(1, { error: 'Required' })

const groupRolesSchema = z.object({
  /**
   * Group mappings of the space. If an account is in several of these groups, the first entry applies. `name`: as the
   * directory sends it.
   */
  groups: z.array(z.object({ name: z.string(), roleId: z.string() })),
  /**
   * Group mappings of apps. If an account is in several groups of an app, the first entry of the app applies. Apps that
   * the caller cannot see are left out.
   */
  appGroups: z.array(z.object({ app: z.string(), name: z.string(), roleId: z.string() })),
  /** The role of new members by SSO or SCIM that are in none of the groups of the space. */
  defaultRoleId: z.string(),
  version: z.int(),
})
export type GroupRoles = z.infer<typeof groupRolesSchema>

export const groupRoleEndpoints = {
  getGroupRoles: endpoint('GET /api/project/{p}/groupRoles', {
    summary: 'Get the roles that directory groups assign in the space and its apps',
    permission: 'security.manage',
    response: z.object({ groupRoles: groupRolesSchema }),
  }),
  updateGroupRoles: endpoint('PUT /api/project/{p}/groupRoles', {
    audit: { act: 'security.groupRoles', of: 'groupRoles', shows: ['groups', 'appGroups', 'defaultRoleId'] },
    summary: 'Update the roles that directory groups assign',
    description:
      '`groups` replaces all mappings of the space. `appGroups` replaces all mappings of the apps that ' +
      'the caller can see, unless it is omitted. Members that SCIM reports in a group with a changed ' +
      'mapping get their role immediately, except the caller; others at their next sign-in. 400 ' +
      '`InvalidRoleChange` if the caller could not assign the role of a changed mapping, or could not ' +
      'change the role of an affected member or of a member linked to SSO. 403 `Forbidden` without ' +
      '`app.manage` in the app of a changed mapping. With the `version` that the caller read, a change ' +
      'made since then returns 409 `VersionConflict`.',
    permission: 'security.manage',
    body: z.strictObject({
      data: z.strictObject({
        groups: z
          .array(z.strictObject({ name: groupName, roleId: roleUidSchema }))
          .max(200, { error: 'TooManyItems' }),
        appGroups: z
          .array(z.strictObject({ app: z.string().max(64), name: groupName, roleId: roleUidSchema }))
          .max(500, { error: 'TooManyItems' })
          .optional(),
        defaultRoleId: roleUidSchema,
        version: z.int().optional(),
      }),
    }),
    response: z.object({ groupRoles: groupRolesSchema }),
  }),
}
