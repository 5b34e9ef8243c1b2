/**
 * Who may do what, in one place: the server's policy, the generated endpoint × role test and the admin's
 * `useCan` all read this file. Deny by default: a right that a role does not list is not given.
 * Source: decisions §5 (docs/decisions/0004).
 */

/** Rights on a space. `space.view` is what membership itself means. */
export const spaceRights = [
  'space.view',
  'space.update',
  'space.delete',
  'app.create',
  'app.order',
  'member.manage',
  'role.manage',
  'token.manage',
] as const
export type SpaceRight = (typeof spaceRights)[number]

/** Rights inside an app. `.own` rights cover documents whose creator is the caller, `.any` everybody's. */
export const appRights = [
  'document.read',
  'document.write.own',
  'document.publish.own',
  'document.write.any',
  'model.manage',
  'app.manage',
] as const
export type AppRight = (typeof appRights)[number]

export const projectRoles = {
  'pjt-Admin': spaceRights,
  'pjt-Member': ['space.view'],
} as const satisfies Record<string, readonly SpaceRight[]>
export type ProjectRole = keyof typeof projectRoles

export const appRoles = {
  'app-Admin': appRights,
  'app-Editor': ['document.read', 'document.write.own', 'document.publish.own', 'document.write.any'],
  'app-Author': ['document.read', 'document.write.own', 'document.publish.own'],
  'app-Contributor': ['document.read', 'document.write.own'],
  'app-Subscriber': ['document.read'],
} as const satisfies Record<string, readonly AppRight[]>
export type AppRole = keyof typeof appRoles

/** What an endpoint asks for. `public`: anyone; `account`: signed in; `admin`: the installation's admin. */
export type Permission = 'public' | 'account' | 'admin' | SpaceRight | AppRight

/** Whoever asks, as far as rights go. `appRole` is null for somebody who has not joined the app. */
export interface Grants {
  projectRole: ProjectRole
  appRole: AppRole | null
}

export function isAppRight(permission: Permission): permission is AppRight {
  return (appRights as readonly string[]).includes(permission)
}

export function isSpaceRight(permission: Permission): permission is SpaceRight {
  return (spaceRights as readonly string[]).includes(permission)
}

/** Does a member with these roles hold the right? A space admin has every right in every app. */
export function can(grants: Grants, right: SpaceRight | AppRight): boolean {
  if (isSpaceRight(right)) return (projectRoles[grants.projectRole] as readonly SpaceRight[]).includes(right)
  if (grants.projectRole === 'pjt-Admin') return true
  return grants.appRole !== null && (appRoles[grants.appRole] as readonly AppRight[]).includes(right)
}

/** Actions on one document. */
export type DocumentAction = 'create' | 'edit' | 'publish' | 'unpublish' | 'delete'

/**
 * May the member do this to this document? Authors act on their own documents; contributors only on their own
 * documents that are not published (an edit to a published one would be a change to what readers see next).
 */
export function canActOnDocument(
  grants: Grants,
  action: DocumentAction,
  document: { own: boolean; published: boolean },
): boolean {
  if (can(grants, 'document.write.any')) return true
  if (!document.own || !can(grants, 'document.write.own')) return false
  const mayPublish = can(grants, 'document.publish.own')
  if (action === 'publish' || action === 'unpublish') return mayPublish
  return action === 'create' || mayPublish || !document.published
}
