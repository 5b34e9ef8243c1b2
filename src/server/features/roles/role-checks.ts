import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { type ActorGrants, findGrants } from '#server/access/grants.ts'
import { AppError, type ErrorCode, type Issue } from '#shared/errors.ts'
import { isAppRight, isRight, ofEveryMember, ofWholeApps, presupposed } from '#shared/permissions.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import * as roles from './roles.repository.ts'

/* Validity of roles, and the rights required to assign or remove them. */

/** Returns all rights that a role grants, everywhere or in single models. */
const givenBy = ({ rights, models }: Pick<roles.RoleRow, 'rights' | 'models'>): string[] => [
  ...rights,
  ...Object.values(models).flatMap((model) => model.rights ?? []),
]

type Given = Pick<roles.RoleRow, 'rights' | 'models'>

/**
 * Checks whether the caller may assign, change or remove the role. The caller must have all rights of the role
 * everywhere, also in each model. Fields that are read-only for the caller must be read-only in the role.
 */
export function commands(grants: ActorGrants, role: Given): boolean {
  const everywhere = [grants.elsewhere, ...[...grants.models.values()].map((model) => model.rights)]
  const holdsRights = givenBy(role)
    .filter(isRight)
    .every((right) => everywhere.every((held) => held.has(right)))
  return holdsRights && [...grants.models].every(([id, { readOnly }]) => keepsReadOnly(role, id, readOnly))
}

function keepsReadOnly({ rights, models }: Given, id: string, fields: ReadonlySet<string>): boolean {
  const inside = models[id]
  const writes = (inside?.rights ?? rights).includes('document.write.own')
  return !writes || [...fields].every((field) => inside?.readOnly?.includes(field))
}

/**
 * Returns the caller's current grants in the space or app where roles of this kind are assigned. A role of the space
 * requires grants in the space, even if the call is made in an app. A role of an app requires grants in the app. Only
 * reliable while the space is locked. Throws 404 for a caller who was removed in the meantime.
 */
export async function heldFor(
  ctx: SpaceContext | AppContext,
  target: roles.RolesOf['target'],
): Promise<ActorGrants> {
  const { memberId } = ctx.grants
  if (memberId === null) return ctx.grants
  const appId = target === 'app' && 'app' in ctx ? ctx.app.id : null
  const grants = await findGrants(ctx.db, ctx.scope, memberId, appId)
  if (!grants) throw new AppError('NotFound')
  return grants
}

type Refusal = Extract<ErrorCode, 'InvalidRoleCreation' | 'InvalidRoleUpdate' | 'InvalidRoleChange'>
export const refusal = (code: Refusal, ...paths: string[]) =>
  new AppError(code, { issues: paths.map((path) => ({ path, code: 'InvalidValue' })) })

/**
 * Checks for used uids and names, incomplete rights, rights of another kind of role, rights that the caller lacks, and
 * invalid settings for models and fields. Throws an error with `code`.
 */
export async function checkRole(
  ctx: SpaceContext | AppContext,
  of: roles.RolesOf & { held: ActorGrants },
  values: roles.RoleValues & { uid: string },
  others: roles.RoleRow[],
  code: Refusal,
): Promise<void> {
  const issues: Issue[] = []
  const add = (path: string, issue: Issue['code']) => issues.push({ path, code: issue })
  const nameKey = keyOf(values.name)
  if (others.some((role) => role.uid === values.uid)) add('data.uid', 'DuplicatedValue')
  if (others.some((role) => role.name !== '' && keyOf(role.name) === nameKey))
    add('data.name', 'DuplicatedValue')
  const { rights, models } = values
  const base = new Set(rights)
  const isWhole = (held: Set<string>) =>
    [...held].every(
      (right) => !isRight(right) || (presupposed[right] ?? []).every((other) => held.has(other)),
    )
  const fits =
    of.target === 'project'
      ? base.has(ofEveryMember)
      : rights.every((right) => isRight(right) && isAppRight(right)) &&
        givenBy(values).includes('document.read')
  if (!fits || !isWhole(base)) add('data.rights', 'InvalidValue')
  if (!commands(of.held, values)) add('data.rights', 'InvalidValue')

  const entries = Object.entries(models)
  if (entries.length > 0) {
    // A role with rights over whole apps cannot be restricted in single models.
    const reachesAll = ofWholeApps.some((right) => base.has(right))
    const fields = of.appId === null ? null : await roles.findFields(ctx.db, ctx.scope, of.appId)
    for (const [id, model] of entries) {
      const path = `data.models.${id}`
      const inside = fields?.get(id)
      if (!inside || reachesAll) add(path, 'InvalidValue')
      else if (model.rights && !isWhole(new Set(model.rights))) add(`${path}.rights`, 'InvalidValue')
      else if (model.readOnly?.some((field) => !inside.has(field))) add(`${path}.readOnly`, 'InvalidValue')
    }
  }
  if (issues.length > 0) throw new AppError(code, { issues })
}

const keyOf = (name: string) => normalizeUnicode(name, 'NFKC').toLowerCase()
