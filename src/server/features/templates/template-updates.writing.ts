import type { AppContext } from '#server/access/context.ts'
import {
  listCustomTypes,
  type ModelLoss,
  type ModelRecord,
  type Touched,
} from '#server/features/models/models.service.ts'
import { readLiveApp } from '#server/features/portable-apps/portable-apps.service.ts'
import type { TemplateUpdateItem } from '#shared/contract/templates.ts'
import { AppError } from '#shared/errors.ts'
import { can } from '#shared/permissions.ts'
import { affectedModels, applyMerged, applyViews, isView } from './template-updates.apply.ts'
import type { Parts } from './template-updates.compare.ts'
import { fieldIdsOf, merge } from './template-updates.merge.ts'
import type { UpdateUndo } from './template-updates.repository.ts'

/** Throws 403 for those who may not change models. */
export function requireRight(ctx: AppContext): void {
  if (!can(ctx.grants, 'model.manage')) throw new AppError('Forbidden')
}

interface Writing {
  ctx: AppContext
  models: ModelRecord[]
  target: Parts
  here: Parts
  chosen: TemplateUpdateItem[]
  /** What is taken back by it. */
  takes?: UpdateUndo
  /** Of the app: `_id`s of what is new follow from it. */
  seed: string
}

/** The part of a plan that is the same for an update and for what takes it back. */
export async function planWriting({ ctx, models, target, here, chosen, takes, seed }: Writing) {
  const { audit: _, ...quiet } = ctx
  const customTypes = await listCustomTypes(ctx.db, ctx.scope)
  const keys = new Set(chosen.map(({ key }) => key))
  const ids = takes?.fieldIds ?? {}
  const merged = merge({ models, customTypes, target, chosen: keys, ids, seed })
  const affected = await affectedModels(ctx, merged, customTypes, takes?.changes)
  const fieldIds = { ...fieldIdsOf('model', models), ...fieldIdsOf('customType', customTypes) }
  return {
    affected,
    pathOf: () => 'take',
    tell: (losses: ModelLoss[], touched: Touched[]) => ({ losses, models: touched }),
    undo: { parts: partsOf(here), fieldIds },
    customTypes,
    merged,
    async write() {
      const gone = chosen.filter((item) => isView(item) && item.change === 'gone')
      // Views name fields: those that go, go before these; all others have to be there first.
      await applyViews(quiet, target, gone)
      const changes = await applyMerged(quiet, merged, affected)
      await applyViews(
        quiet,
        target,
        chosen.filter((item) => !gone.includes(item)),
      )
      const made = merged.models.filter(({ before }) => !before).map(({ uid }) => uid)
      return { changes, made, after: partsOf((await readLiveApp(ctx)).app) }
    },
  }
}

const partsOf = ({ customFieldTypes, models, views }: Parts): Parts => ({ customFieldTypes, models, views })
