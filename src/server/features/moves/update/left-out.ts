import type { PortableApp } from '#archive/app-format.ts'
import type { AppContext } from '#server/access/context.ts'
import { listRoles } from '#server/features/roles/roles.service.ts'
import { createView, listViews } from '#server/features/views/views.service.ts'
import type { Additions, AppChanges, NamedCount, NotImported } from '#shared/contract/move-updates.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { mergeViews } from '#shared/schema-merge/views.ts'

/*
 * The parts of an exported app other than models, documents and files, and the reasons why an import into an app leaves
 * them out.
 */

/** The parts of an incoming app that are not compared with the target app. */
export interface OtherParts {
  views: readonly { modelUid: string; name: string }[]
  roles: readonly { uid: string; name: string }[]
  revisions: number
}

export const noOtherParts: OtherParts = { views: [], roles: [], revisions: 0 }

const mostExamples = 20

const counted = (parts: readonly { name: string }[]): NamedCount => ({
  count: parts.length,
  examples: parts.slice(0, mostExamples).map(({ name }) => name),
})

const leave = (
  what: NotImported['what'],
  why: NotImported['why'],
  parts: readonly { name: string }[],
): NotImported[] => (parts.length === 0 ? [] : [{ what, why, ...counted(parts) }])

const latestOnly = (count: number): NotImported => ({
  what: 'revisions',
  why: 'latestOnly',
  count,
  examples: [],
})

/** Returns the views of new models, and the parts that are left out regardless of the caller's rights. */
export async function planOthers(
  app: AppContext,
  { views, roles, revisions }: OtherParts,
  { models }: Additions,
): Promise<{ views: NamedCount; notImported: NotImported[] }> {
  const uids = new Set(models.map(({ uid }) => uid))
  const viewsHere = new Set(
    (await listViews(app)).flatMap((view) => (view.personal ? [] : [`${view.modelUid} ${view.name}`])),
  )
  const rolesHere = new Set((await listRoles(app, 'app')).map(({ uid }) => uid))
  const others = views.filter(
    ({ modelUid, name }) => !uids.has(modelUid) && !viewsHere.has(`${modelUid} ${name}`),
  )
  const unknown = roles.filter(({ uid }) => !rolesHere.has(uid))
  return {
    views: counted(views.filter(({ modelUid }) => uids.has(modelUid))),
    notImported: [
      ...leave('views', 'modelExists', others),
      ...leave('roles', 'givesRights', unknown),
      ...(revisions > 0 ? [latestOnly(revisions)] : []),
    ],
  }
}

/** Returns the changes of an import that has not started, with the parts that the caller may not import. */
export function withLackingRights({ grants }: Pick<AppContext, 'grants'>, changes: AppChanges): AppChanges {
  const { views } = changes.additions
  if (views.count === 0 || can(grants, 'view.manage')) return changes
  return { ...changes, notImported: [{ what: 'views', why: 'lacksRight', ...views }, ...changes.notImported] }
}

/**
 * Creates the views of the models that an import has created. Returns the views that were not created, with the reason.
 */
export async function makeViews(
  app: AppContext,
  { models, views }: PortableApp,
  made: Additions['models'],
): Promise<NotImported[]> {
  const uids = new Set(made.flatMap(({ uid, outcome }) => (outcome === 'made' ? [uid] : [])))
  const incoming = views.filter(({ modelUid }) => uids.has(modelUid))
  if (!can(app.grants, 'view.manage')) return leave('views', 'lacksRight', incoming)
  const { changes, refusals } = mergeViews(incoming, [], { models }, () => true)
  const invalid = refusals.map(({ uid: name }) => ({ name }))
  const tooMany: { name: string }[] = []
  for (const { values } of changes) {
    if (!values) continue
    try {
      await createView(app, { ...values, personal: false })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const isFull = error.issues?.some(({ code }) => code === 'TooManyItems')
      const into = isFull ? tooMany : invalid
      into.push(values)
    }
  }
  return [...leave('views', 'invalid', invalid), ...leave('views', 'tooMany', tooMany)]
}
