import { api } from '#admin/lib/api.ts'
import { appRolesQuery, rolesQuery } from '#admin/lib/queries.ts'
import type { Role } from '#shared/contract/roles.ts'

/** The owner of roles: the space, or one of its apps. */
export interface RolePlace {
  p: string
  a?: string
}

/** The properties of a role that are sent to create or change it. */
export interface RoleDraft {
  name: string
  description: string
  rights: Role['rights']
  models?: Role['models']
}

export const rolesOf = ({ p, a }: RolePlace) =>
  // Both queries return roles. Their types differ only in the key.
  (a === undefined ? rolesQuery(p) : appRolesQuery(p, a)) as ReturnType<typeof rolesQuery>

/** Returns the API calls that change roles of the space or app. */
export function roleCalls({ p, a }: RolePlace) {
  return a === undefined
    ? {
        create: (data: RoleDraft) => api('POST /api/project/{p}/role', { params: { p }, body: { data } }),
        update: (id: string, data: RoleDraft & { version: number }) =>
          api('PUT /api/project/{p}/role/{id}', { params: { p, id }, body: { data } }),
        remove: (id: string) => api('DELETE /api/project/{p}/role/{id}', { params: { p, id } }),
      }
    : {
        create: (data: RoleDraft) =>
          api('POST /api/project/{p}/app/{a}/role', { params: { p, a }, body: { data } }),
        update: (id: string, data: RoleDraft & { version: number }) =>
          api('PUT /api/project/{p}/app/{a}/role/{id}', { params: { p, a, id }, body: { data } }),
        remove: (id: string) => api('DELETE /api/project/{p}/app/{a}/role/{id}', { params: { p, a, id } }),
      }
}
