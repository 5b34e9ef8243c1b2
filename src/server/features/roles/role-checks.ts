import type { AppContext, SpaceContext } from '#server/access/context.ts'
import type { ActorGrants } from '#server/access/grants.ts'
import { AppError, type ErrorCode, type Issue } from '#shared/errors.ts'
import { isAppRight, isRight, ofEveryMember, ofWholeApps, presupposed } from '#shared/permissions.ts'
import { normalizeUnicode } from '#shared/unicode.ts'
import * as roles from './roles.repository.ts'

/* Which roles can be, and who may give or take them. */

/** Everything that a role gives anywhere. */
const givenBy = ({ rights, models }: Pick<roles.RoleRow, 'rights' | 'models'>): string[] => [
  ...rights,
  ...Object.values(models).flatMap((model) => model.rights ?? []),
]

/**
 * The one answer to who may give or take what: only roles all of whose rights one holds. What differs from model to
 * model is not held, so who has such a role gives none that reaches further than where it gives least.
 */
export function commands(grants: ActorGrants, role: Pick<roles.RoleRow, 'rights' | 'models'>): boolean {
  const everywhere = [grants.elsewhere, ...[...grants.models.values()].map((model) => model.rights)]
  return givenBy(role)
    .filter(isRight)
    .every((right) => everywhere.every((held) => held.has(right)))
}

type Refusal = Extract<ErrorCode, 'InvalidRoleCreation' | 'InvalidRoleUpdate' | 'InvalidRoleChange'>
export const refusal = (code: Refusal, ...paths: string[]) =>
  new AppError(code, { issues: paths.map((path) => ({ path, code: 'InvalidValue' })) })

/** Names taken, rights that are not whole, not of this kind of role or not the caller's to give, models and fields unknown. */
export async function checkRole(
  ctx: SpaceContext | AppContext,
  of: roles.RolesOf,
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
  if (!commands(ctx.grants, values)) add('data.rights', 'InvalidValue')

  const entries = Object.entries(models)
  if (entries.length > 0) {
    // Who looks after whole apps is not kept out of a part of them.
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
