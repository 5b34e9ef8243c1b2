import type { AppContext } from '#server/access/context.ts'
import type { ModelLoss, Touched } from '#server/features/models/models.service.ts'
import { readLiveApp } from '#server/features/portable-apps/portable-apps.service.ts'
import {
  type AppSchema,
  affectedModels,
  merge,
  requireWhole,
  writeMerged,
} from '#server/features/schema-merge/schema-merge.service.ts'
import { listViews } from '#server/features/views/views.service.ts'
import { sha256 } from '#server/lib/ids.ts'
import type { TemplateUpdateItem } from '#shared/contract/templates.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { placeOf } from '#shared/schema-merge/schema.ts'
import { type Parts, schemaOf } from './template-updates.compare.ts'
import type { FieldIds, UpdateUndo } from './template-updates.repository.ts'

/** Throws 403 if the caller may not change models. */
export function requireRight(ctx: AppContext): void {
  if (!can(ctx.grants, 'model.manage')) throw new AppError('Forbidden')
}

interface Writing {
  ctx: AppContext
  /** The app's schema, locked. */
  own: AppSchema
  /** The app's schema in portable form. */
  here: Parts
  target: Parts
  chosen: TemplateUpdateItem[]
  /** The update that is undone. */
  takes?: UpdateUndo
  /** Seed from which the `_id`s of new parts are derived. */
  seed: string
}

/**
 * Plans the writing of an update or of its undoing. Throws 400 with the paths of parts that require a part that is not
 * chosen: `models.article.fields.2.modelUid`.
 */
export async function planWriting({ ctx, own, here, target, chosen, takes, seed }: Writing) {
  const { audit: _, ...quiet } = ctx
  const state = [...own.models, ...own.customTypes].map(({ version }) => version).join()
  const merged = merge({
    theirs: schemaOf(target),
    here: { ...own, views: (await listViews(ctx)).filter(({ personal }) => !personal) },
    chosen: new Set(chosen.map(({ key }) => key)),
    // Restored parts get their previous `_id`s. The `_id`s of new parts are derived, so that a repeated plan creates
    // the same `_id`s.
    idOf: (owner, field = '') =>
      takes?.fieldIds[owner]?.[field] ??
      sha256(`${seed} ${state} ${owner} ${field}`).toString('hex').slice(0, 24),
  })
  requireWhole(merged, (refusal) => placeOf(refusal, refusal.kind === 'view' ? refusal.index : refusal.uid))
  const affected = await affectedModels(ctx, own, merged, takes?.changes)
  return {
    affected,
    removed: merged.removed,
    pathOf: () => 'take',
    tell: (losses: ModelLoss[], touched: Touched[]) => ({ losses, models: touched }),
    undo: {
      parts: partsOf(here),
      fieldIds: { ...fieldIdsOf('model', own.models), ...fieldIdsOf('customType', own.customTypes) },
    },
    async write() {
      const { models, versions } = await writeMerged(quiet, merged, affected)
      const made = models.map(({ uid }) => uid)
      return { changes: versions, made, after: partsOf((await readLiveApp(ctx)).app) }
    },
  }
}

const partsOf = ({ customFieldTypes, models, views }: Parts): Parts => ({ customFieldTypes, models, views })

const fieldIdsOf = (
  kind: 'model' | 'customType',
  owners: AppSchema['models'] | AppSchema['customTypes'],
): FieldIds =>
  Object.fromEntries(
    owners.map(({ uid, fields }) => [
      `${kind} ${uid}`,
      Object.fromEntries(fields.map((field) => [field.uid, field._id])),
    ]),
  )
