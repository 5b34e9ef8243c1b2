import type { PortableApp } from '#archive/app-format.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { createApp, updateAppAccess } from '#server/features/apps/apps.service.ts'
import { insertCustomType } from '#server/features/custom-types/custom-types.service.ts'
import { addModel, type ModelRecord } from '#server/features/models/models.service.ts'
import { createRole, listRoles } from '#server/features/roles/roles.service.ts'
import { createView } from '#server/features/views/views.service.ts'
import { Pace } from '#server/lib/pace.ts'
import { type ViewSettings, viewSettingsSchema } from '#shared/contract/views.ts'
import { AppError, type Issue } from '#shared/errors.ts'
import { idPattern } from '#shared/identifiers.ts'
import { isRight } from '#shared/permissions.ts'
import { type ViewType, viewTypes } from '#shared/views.ts'
import { zodIssues } from '#shared/zod-issues.ts'
import { type AppParts, readManyParts } from './portable-apps.parts.ts'

/** A portable app whose every part was read, to be made. */
export interface ReadApp extends AppParts {
  app: PortableApp['app']
  views: { modelUid: string; name: string; type: ViewType; settings: ViewSettings }[]
  roles: PortableApp['roles']
}

/** Reads everything that {@link makeApp} makes. Throws 400 naming every culprit by its path: `models.0.fields.2.uid`. */
export async function readPortableApp(portable: PortableApp): Promise<ReadApp> {
  const issues: Issue[] = []
  let parts: AppParts = { customTypes: [], models: [] }
  try {
    parts = await readManyParts(portable)
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    issues.push(...error.issues)
  }
  const modelUids = new Set(portable.models.map(({ uid }) => uid))
  const views: ReadApp['views'] = []
  const pace = new Pace()
  for (const [index, { modelUid, name, type, settings }] of portable.views.entries()) {
    const path = `views.${index}`
    const known = viewTypes.find((candidate) => candidate === type)
    const read = viewSettingsSchema.safeParse(settings, { reportInput: true })
    if (!known) issues.push({ path: `${path}.type`, code: 'InvalidValue' })
    if (!modelUids.has(modelUid)) issues.push({ path: `${path}.modelUid`, code: 'InvalidValue' })
    if (!read.success)
      for (const issue of zodIssues(read.error.issues))
        issues.push({ ...issue, path: `${path}.settings.${issue.path}` })
    if (known && read.success) views.push({ modelUid, name, type: known, settings: read.data })
    await pace.giveWay()
  }
  const { app, roles } = portable
  roles.forEach(({ uid }, index) => {
    if (/^(?:pjt|app)-/.test(uid)) issues.push({ path: `roles.${index}.uid`, code: 'ReservedWord' })
  })
  if (issues.length > 0) throw new AppError('ValidationFailed', { issues })
  return { app, ...parts, views, roles }
}

/** What the new app is called, where that is another name than it had. */
export interface NewNames {
  uid?: string
  name?: string
}

interface MakeOptions {
  names?: NewNames
  /** What documents are called from now on, for filters that name one. Left out: as they were. */
  documentName?: (id: string) => string
}

/**
 * Makes the app with its models, custom types, views and roles, empty, in the caller's transaction: whole or not at all. Pictures
 * come with its documents. Throws `AppUidIsAlreadyInUse`, 400 for a view or a role that its own models contradict, 403.
 */
export async function makeApp(
  ctx: SpaceContext,
  read: ReadApp,
  { names = {}, documentName }: MakeOptions = {},
): Promise<{ app: AppContext; models: ModelRecord[] }> {
  // What is told of it is that the app was made.
  const { audit: _, ...quiet } = ctx
  await lockSpace(quiet, 'app.create')
  const { uid, name, description, icon, accessSettings } = { ...read.app, ...names }
  const app = await createApp(quiet, {
    uid,
    name,
    description,
    ...(icon?.type === 'emoji' ? { icon } : {}),
  })
  const models = await makeParts(app, read)
  for (const [index, view] of read.views.entries()) {
    const settings = namedSettings(view.settings, documentName)
    await at(`views.${index}`, () => createView(app, { ...view, personal: false, settings }))
  }
  await makeRoles(app, read.roles, models)
  const { visibility, defaultRole } = accessSettings
  const isKnown = (await listRoles(app, 'app')).some((role) => role.uid === defaultRole)
  const role = isKnown ? defaultRole : app.app.defaultRole
  const access = await updateAppAccess(app, { visibility, defaultRole: role })
  return { app: { ...app, app: { ...access, joined: true } }, models }
}

/** Makes custom types and models in an app that has none. */
export async function makeParts(app: AppContext, { customTypes, models }: AppParts): Promise<ModelRecord[]> {
  for (const type of customTypes) await insertCustomType(app, type)
  const made: ModelRecord[] = []
  for (const model of models) made.push(await addModel(app, model))
  return made
}

async function makeRoles(
  app: AppContext,
  roles: PortableApp['roles'],
  models: readonly ModelRecord[],
): Promise<void> {
  const byUid = new Map(models.map((model) => [model.uid, model]))
  for (const [index, role] of roles.entries()) {
    const { uid, name, description, rights, models: different } = role
    const own = different.flatMap(({ model: modelUid, rights: others, readOnly }) => {
      const model = byUid.get(modelUid)
      const locked = model?.fields.filter((field) => readOnly?.includes(field.uid)).map(({ _id }) => _id)
      return model
        ? [
            [
              model.publicId,
              {
                ...(others ? { rights: others.filter(isRight) } : {}),
                ...(readOnly && locked ? { readOnly: locked } : {}),
              },
            ] as const,
          ]
        : []
    })
    const values = { uid, name, description, rights: rights.filter(isRight) }
    const asMade = { ...values, models: Object.fromEntries(own) }
    await at(`roles.${index}`, () => createRole(app, 'app', asMade))
  }
}

/** What `work` throws, with paths that begin with this one instead of `data`. */
async function at<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error
    const issues = error.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^data/, path) }))
    throw new AppError('ValidationFailed', { issues })
  }
}

/** Filters name documents by their `_id`s, and people, who are others here. */
export function namedSettings(
  settings: ViewSettings,
  documentName: ((id: string) => string) | undefined,
): ViewSettings {
  const { filters } = settings
  if (!documentName || !filters) return settings
  const change = <C extends { field: string; value: string }>(condition: C): C =>
    idPattern.test(condition.value) && !condition.field.startsWith('_sys.')
      ? { ...condition, value: documentName(condition.value) }
      : condition
  return {
    ...settings,
    filters: filters.map((filter) =>
      'group' in filter ? { group: filter.group.map(change) } : change(filter),
    ),
  }
}
