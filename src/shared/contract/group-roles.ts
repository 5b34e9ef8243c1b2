import { z } from 'zod'
import { storableText } from '../fields/field-type.ts'
import { endpoint } from './endpoint.ts'
import { roleUidSchema } from './spaces.ts'

const groupRolesSchema = z.object({
  /** The first that names a group somebody is in decides; `name` as the directory sends it. */
  groups: z.array(z.object({ name: z.string(), roleId: z.string() })),
  /** Of who is new and in none of the groups. */
  defaultRoleId: z.string(),
  version: z.int(),
})
export type GroupRoles = z.infer<typeof groupRolesSchema>

export const groupRoleEndpoints = {
  getGroupRoles: endpoint('GET /api/project/{p}/groupRoles', {
    summary: 'Which role in the space comes with which group of the organization’s directory.',
    permission: 'security.manage',
    response: z.object({ groupRoles: groupRolesSchema }),
  }),
  updateGroupRoles: endpoint('PUT /api/project/{p}/groupRoles', {
    audit: { act: 'security.groupRoles', of: 'groupRoles', shows: ['groups', 'defaultRoleId'] },
    summary:
      'Change which role comes with which group; `groups` takes the place of all there were. Members get theirs when the ' +
      'directory next tells of their groups. Roles that the caller could not give answer 400 `InvalidRoleChange`.',
    permission: 'security.manage',
    body: z.strictObject({
      data: z.strictObject({
        groups: z
          .array(
            z.strictObject({
              name: storableText(256).trim().min(1, { error: 'Required' }),
              roleId: roleUidSchema,
            }),
          )
          .max(200, { error: 'TooManyItems' }),
        defaultRoleId: roleUidSchema,
        version: z.int().optional(),
      }),
    }),
    response: z.object({ groupRoles: groupRolesSchema }),
  }),
}
