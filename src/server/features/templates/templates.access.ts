import { accountOf } from '#server/access/actor.ts'
import type { SpaceContext } from '#server/access/context.ts'
import { grantsIn } from '#server/access/membership.ts'
import { idPattern } from '#shared/identifiers.ts'
import { can } from '#shared/permissions.ts'
import { findTemplate, type TemplateReader, type TemplateRow } from './templates.repository.ts'

/* Access to the templates of a space (docs/decisions/0057). */

/** Returns the caller of a use-case as a reader of templates. */
export async function templateReader(ctx: SpaceContext): Promise<TemplateReader> {
  const inSpace = await grantsIn(ctx, null)
  const managesEveryApp = inSpace !== null && can(inSpace, 'app.manage')
  return { grants: ctx.grants, managesEveryApp, accountId: accountOf(ctx.actor) }
}

/**
 * Returns a version of a template of the space, by default the newest saved one. undefined: it does not exist, or the
 * caller may not use the template, for example because they do not see the app from which it was saved.
 */
export async function findOwnTemplate(
  ctx: SpaceContext,
  id: string,
  version?: number,
): Promise<TemplateRow | undefined> {
  if (!idPattern.test(id)) return undefined
  return findTemplate(ctx.db, ctx.scope, { id, version }, await templateReader(ctx))
}
