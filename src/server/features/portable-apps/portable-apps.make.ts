import type { PortableApp } from '#archive/app-format.ts'
import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { lockSpace } from '#server/access/membership.ts'
import { createApp, updateAppAccess } from '#server/features/apps/apps.service.ts'
import type { ModelRecord } from '#server/features/models/models.service.ts'
import { createRole, listRoles } from '#server/features/roles/roles.service.ts'
import {
  type AppMerge,
  issuesAt,
  mergeInTurns,
  noSchema,
  requireWhole,
  writeMerged,
} from '#server/features/schema-merge/schema-merge.service.ts'
import type { ViewSettings } from '#shared/contract/views.ts'
import type { Issue } from '#shared/errors.ts'
import { carriedUidProblem, idPattern } from '#shared/identifiers.ts'
import { isRight } from '#shared/permissions.ts'
import { placeOf } from '#shared/schema-merge/schema.ts'

export interface ReadApp extends Pick<PortableApp, 'app' | 'roles'> {
  schema: AppMerge
}

/**
 * Validates everything that {@link makeApp} creates. Throws 400 with all issues and their paths:
 * `models.0.fields.2.uid`.
 */
export async function readPortableApp(portable: PortableApp): Promise<ReadApp> {
  const { app, models, customFieldTypes: customTypes, views, roles } = portable
  const schema = await mergeInTurns({ theirs: { customTypes, models, views }, here: noSchema })
  const problem = carriedUidProblem('app', app.uid)
  requireWhole(schema, placeOf, [
    ...(problem ? [{ path: 'app.uid', code: problem }] : []),
    ...roles.flatMap(({ uid }, index): Issue[] =>
      /^(?:pjt|app)-/.test(uid) ? [{ path: `roles.${index}.uid`, code: 'ReservedWord' }] : [],
    ),
  ])
  return { app, schema, roles }
}

/** New uid and name of the app. Left out: unchanged. */
export interface NewNames {
  uid?: string
  name?: string
}

interface MakeOptions {
  names?: NewNames
  /** Returns the new `_id` of a document, for filters of views that refer to it. Left out: `_id`s stay unchanged. */
  documentName?: (id: string) => string
}

/**
 * Creates the app with its models, custom types, views and roles, without documents, in the caller's transaction.
 * Pictures are imported with the documents. Throws `AppUidIsAlreadyInUse` and 403. Throws 400 for a view or role that
 * does not fit its models.
 */
export async function makeApp(
  ctx: SpaceContext,
  read: ReadApp,
  { names = {}, documentName }: MakeOptions = {},
): Promise<{ app: AppContext; models: ModelRecord[] }> {
  // The audit log only records that the app was created.
  const { audit: _, ...quiet } = ctx
  await lockSpace(quiet, 'app.create')
  const { uid, name, description, icon, accessSettings } = { ...read.app, ...names }
  const app = await createApp(quiet, {
    uid,
    name,
    description,
    ...(icon?.type === 'emoji' ? { icon } : {}),
  })
  const { models } = await writeMerged(app, {
    ...read.schema,
    views: read.schema.views.map(({ values, ...view }) => ({
      ...view,
      values: values && { ...values, settings: namedSettings(values.settings, documentName) },
    })),
  })
  await makeRoles(app, read.roles, models)
  const { visibility, defaultRole } = accessSettings
  const isKnown = (await listRoles(app, 'app')).some((role) => role.uid === defaultRole)
  const role = isKnown ? defaultRole : app.app.defaultRole
  const access = await updateAppAccess(app, { visibility, defaultRole: role })
  return { app: { ...app, app: { ...access, joined: true } }, models }
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
    await issuesAt(`roles.${index}`, () => createRole(app, 'app', asMade))
  }
}

/**
 * Replaces document `_id`s in the filters of a view. Conditions on `_sys` fields stay unchanged, because they may refer
 * to users.
 */
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
