import type { SpaceContext } from '#server/access/context.ts'
import { findGrants, inModel, readsModelOf } from '#server/access/grants.ts'
import { grantsIn } from '#server/access/membership.ts'
import { rightsOfRole } from '#server/features/roles/roles.service.ts'
import type { MemberRights } from '#shared/contract/members.ts'
import { appRights, isDocumentRight, type Right, spaceRights } from '#shared/permissions.ts'
import { findAppsOf, findModelsOf } from './member-rights.repository.ts'
import type { MemberRow } from './members.repository.ts'
import { requireMember } from './members.service.ts'

type Held = MemberRights['space']

/**
 * Returns the rights of a member in the space, in each app that is visible to both the member and the caller, and in
 * the models there that the caller reads. `by` is the source of each right. The rights come from {@link findGrants}, as
 * for the member's own requests. Throws 404.
 */
export async function memberRights(
  ctx: SpaceContext,
  id: string,
): Promise<{ member: MemberRow; rights: MemberRights }> {
  const member = await requireMember(ctx, id)
  const inSpace = await findGrants(ctx.db, ctx.scope, id)
  const ofSpace = inSpace?.rights ?? new Set<Right>()
  const given = await rightsOfRole(ctx, 'project', member.role)
  const apps = await findAppsOf(ctx.db, ctx.scope, id, ctx.grants)
  const models = await findModelsOf(ctx.db, ctx.scope)
  const known = apps.filter((app) => app.role !== null || app.visibility === 'open' || inSpace?.seesEveryApp)
  const shown = []
  for (const app of known) {
    const grants = await findGrants(ctx.db, ctx.scope, id, app.id)
    const own = await grantsIn(ctx, app.id)
    if (!grants || !own) continue
    const by = (right: Right) => (ofSpace.has(right) ? 'project' : 'app')
    const held = (rights: ReadonlySet<Right>, differs = false): Held =>
      appRights
        .filter((right) => rights.has(right))
        .map((right) => ({ right, by: by(right) === 'app' && differs ? 'model' : by(right) }))
    shown.push({
      uid: app.uid,
      name: app.name,
      access:
        app.role !== null
          ? ('joined' as const)
          : ofSpace.has('document.read')
            ? ('bySpace' as const)
            : ('open' as const),
      roleId: app.role,
      roleName: app.roleName ?? '',
      rights: held(grants.rights),
      models: models
        .filter((model) => model.appId === app.id && readsModelOf(own, model.publicId))
        .map((model) => {
          const inside = inModel(grants, model.publicId)
          return {
            _id: model.publicId,
            uid: model.uid,
            name: model.name,
            rights: held(inside.rights, grants.models.has(model.publicId)).filter(({ right }) =>
              isDocumentRight(right),
            ),
            readOnly: model.fields
              .filter((field) => inside.readOnly.has(field._id))
              .map((field) => field.name),
          }
        }),
    })
  }
  const space: Held = spaceRights
    .filter((right) => ofSpace.has(right))
    .map((right) => ({ right, by: given.has(right) ? 'project' : 'anyApp' }))
  return { member, rights: { space, apps: shown, hiddenApps: apps.length - known.length } }
}
