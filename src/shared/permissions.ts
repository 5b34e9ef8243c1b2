/**
 * Who may do what, in one place: the server's policy, the generated endpoint × role test and the admin's
 * `useCan` all read this file. Deny by default: a right that no role lists is not given.
 * Source: decisions §5 (docs/decisions/0004).
 */

/** Rights on a space. `space.view` is what membership itself means. `.own` covers what the caller uploaded. */
export const spaceRights = [
  'space.view',
  'space.update',
  'space.delete',
  'app.create',
  'app.order',
  'member.manage',
  'role.manage',
  'token.manage',
  'asset.read',
  'asset.write.own',
  'asset.write.any',
  'tag.manage',
  'storage.manage',
  'audit.read',
  'security.manage',
] as const
export type SpaceRight = (typeof spaceRights)[number]

/** Rights inside an app. `.own` rights cover documents whose creator is the caller, `.any` everybody's. */
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

/** Rights on apps that a role can give otherwise in some models. */
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

/*
 * The built-in roles. The server reads every role, built-in or of a space, from the rows of `role`
 * (server/access/grants.ts); a test holds the built-in rows to what is written here.
 */

/** A right on apps in a space's role is held in every app of the space, joined or not. */
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

/** What who makes a space or an app becomes there. */
export const creatorRoles = { project: 'pjt-Admin', app: 'app-Admin' } as const

/** What somebody is given where the role that they had is gone. */
export const leastAppRole: AppRole = 'app-Subscriber'

/** What who is invited becomes in the space, if nothing else is said. */
export const invitedRole: ProjectRole = 'pjt-Member'

/** What an endpoint asks for. `public`: anyone; `account`: signed in; `admin`: the installation's admin. */
export type Permission = 'public' | 'account' | 'admin' | Right

/** Whoever asks, as far as rights go, in a space or one of its apps. */
export interface Grants {
  rights: ReadonlySet<Right>
}

/**
 * Rights on the space that come with a right on any one of its apps: who looks after everybody's documents somewhere also
 * looks after the tags that are common to the space (decisions §5).
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
 * What a right is of no use without: who edits documents reads them. A role that gives one gives these too; together
 * they are what makes a set of rights whole.
 */
export const presupposed: Partial<Record<Right, readonly Right[]>> = {
  'asset.write.own': ['asset.read'],
  'asset.write.any': ['asset.read', 'asset.write.own'],
  'document.write.own': ['document.read'],
  'document.publish.own': ['document.read', 'document.write.own'],
  'document.write.any': ['document.read', 'document.write.own', 'document.publish.own'],
  'model.manage': ['document.read'],
  'view.manage': ['document.read'],
  'app.manage': ['document.read'],
}

/** What every role for spaces gives: it is what membership means. */
export const ofEveryMember: Right = 'space.view'

/** Those who hold one of these see and change whole apps: a role with them says nothing of single models. */
export const ofWholeApps: readonly AppRight[] = ['model.manage', 'view.manage', 'app.manage']

/** What somebody who may do everything in a space holds. One at least is always there. */
export const allRights = rights

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
