/**
 * All permissions. A member has the rights that their roles list, and the space rights that these imply
 * (`impliedByAnyApp`). All other rights are denied. Source: docs/decisions/0004.
 */

/** Rights on a space. Every member has `space.view`. `.own` applies to assets that the caller uploaded. */
export const spaceRights = [
  'space.view',
  'space.update',
  'space.delete',
  'app.create',
  'app.order',
  'member.manage',
  'role.manage',
  'token.manage',
  'webhook.manage',
  'form.read',
  'form.manage',
  'submission.read',
  'submission.manage',
  'asset.read',
  'asset.write.own',
  'asset.write.any',
  'tag.manage',
  'storage.manage',
  'audit.read',
  'security.manage',
] as const
export type SpaceRight = (typeof spaceRights)[number]

/** Rights inside an app. `.own` rights apply to documents that the caller created, `.any` rights to all documents. */
export const appRights = [
  'document.read',
  'document.write.own',
  'document.publish.own',
  'document.write.any',
  'model.manage',
  'view.manage',
  'app.manage',
] as const
export type AppRight = (typeof appRights)[number]

/** Rights on apps that a role can override for individual models. */
export const documentRights = [
  'document.read',
  'document.write.own',
  'document.publish.own',
  'document.write.any',
] as const satisfies readonly AppRight[]
export type DocumentRight = (typeof documentRights)[number]
export const isDocumentRight = (right: string): right is DocumentRight =>
  (documentRights as readonly string[]).includes(right)

export type Right = SpaceRight | AppRight
const rights: readonly Right[] = [...spaceRights, ...appRights]

/* The built-in roles. The server reads all roles from the rows of `role` (server/access/grants.ts). */

/** An app right in a space role applies to every app of the space, even if the member has not joined it. */
export const projectRoles = {
  'pjt-Admin': rights,
  'pjt-Member': ['space.view', 'asset.read', 'asset.write.own'],
} as const satisfies Record<string, readonly Right[]>
export type ProjectRole = keyof typeof projectRoles

export const appRoles = {
  'app-Admin': appRights,
  'app-Editor': ['document.read', 'document.write.own', 'document.publish.own', 'document.write.any'],
  'app-Author': ['document.read', 'document.write.own', 'document.publish.own'],
  'app-Contributor': ['document.read', 'document.write.own'],
  'app-Subscriber': ['document.read'],
} as const satisfies Record<string, readonly AppRight[]>
export type AppRole = keyof typeof appRoles
export const isAppRole = (uid: string): uid is AppRole => uid in appRoles

export const creatorRoles = { project: 'pjt-Admin', app: 'app-Admin' } as const

/**
 * The app role with the fewest rights. Members who left an app rejoin with this role if their former role has been
 * deleted.
 */
export const leastAppRole: AppRole = 'app-Subscriber'

export const invitedRole: ProjectRole = 'pjt-Member'

/**
 * The permission that an endpoint requires. `public`: none; `account`: a signed-in user; `admin`: an admin of the
 * installation.
 */
export type Permission = 'public' | 'account' | 'admin' | Right

export interface Grants {
  rights: ReadonlySet<Right>
}

/**
 * Space rights implied by an app right in any app. A member who may write all documents of an app may also manage the
 * tags of the space.
 */
export const impliedByAnyApp: Partial<Record<AppRight, readonly SpaceRight[]>> = {
  'document.write.any': ['tag.manage'],
}

export function isAppRight(permission: Permission): permission is AppRight {
  return (appRights as readonly string[]).includes(permission)
}

export function isSpaceRight(permission: Permission): permission is SpaceRight {
  return (spaceRights as readonly string[]).includes(permission)
}

export function isRight(text: string): text is Right {
  return (rights as readonly string[]).includes(text)
}

export function can({ rights }: Grants, right: Right): boolean {
  return rights.has(right)
}

/**
 * Rights that a right depends on: editing documents requires reading them. A role must also list these rights,
 * otherwise the server refuses the role.
 */
export const presupposed: Partial<Record<Right, readonly Right[]>> = {
  'form.manage': ['form.read'],
  'submission.read': ['form.read'],
  'submission.manage': ['form.read', 'submission.read'],
  'asset.write.own': ['asset.read'],
  'asset.write.any': ['asset.read', 'asset.write.own'],
  'document.write.own': ['document.read'],
  'document.publish.own': ['document.read', 'document.write.own'],
  'document.write.any': ['document.read', 'document.write.own', 'document.publish.own'],
  'model.manage': ['document.read'],
  'view.manage': ['document.read'],
  'app.manage': ['document.read'],
}

/**
 * The rights of an API token that may write: in the space, and in each app of the token. An account that creates such a
 * token must have them.
 */
export const writingTokenRights = {
  space: ['space.view', 'asset.read', 'asset.write.own'],
  app: documentRights,
} as const satisfies { space: readonly SpaceRight[]; app: readonly AppRight[] }

/** The right that every space role must list. */
export const ofEveryMember: Right = 'space.view'

/** Rights on whole apps. A role with one of them cannot have exceptions for models. */
export const ofWholeApps: readonly AppRight[] = ['model.manage', 'view.manage', 'app.manage']

/** The rights of a full admin of a space. At least one member must have them. */
export const allRights = rights

export const hasAllRights = (grants: Grants): boolean => allRights.every((right) => can(grants, right))

/**
 * Rights that an import into an existing app requires in addition to `app.manage`, because its job writes files and
 * documents of all members. Creating models or fields also requires `model.manage`.
 */
export const importRights = ['document.write.any', 'asset.write.own'] as const satisfies readonly Right[]

export type DocumentAction = 'create' | 'edit' | 'publish' | 'unpublish' | 'delete'

/**
 * Returns whether the member may act on this document. Members with `document.write.any` may act on all documents,
 * other members only on their own. Without `document.publish.own`, they cannot publish or unpublish, and can edit and
 * delete only unpublished documents. An edit to a published document would change the next published version.
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
