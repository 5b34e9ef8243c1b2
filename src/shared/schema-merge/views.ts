import { type ViewSettings, viewSettingsSchema } from '../contract/views.ts'
import type { Issue } from '../errors.ts'
import { isSameValue } from '../fields/same-value.ts'
import { type ViewType, viewTypes } from '../views.ts'
import { zodIssues } from '../zod-issues.ts'
import { type IncomingView, itemKey, type Refusal } from './schema.ts'

export interface ViewValues {
  modelUid: string
  name: string
  type: ViewType
  settings: ViewSettings
}

/** A shared view of the app. */
export interface OwnView extends ViewValues {
  uid: string
}

/** A new view (`before` is `null`), a changed view, or a removed view (`values` is `null`). */
export interface ViewChange<View> {
  /** Index among the incoming views. -1 for a removed view. */
  index: number
  before: View | null
  values: ViewValues | null
}

/** Merges views, which are matched by model and name. The caller must check that the fields of the views exist. */
export function mergeViews<View extends OwnView>(
  incoming: readonly IncomingView[],
  here: readonly View[],
  { models }: { models: readonly { uid: string }[] },
  takes: (key: string, comes: boolean) => boolean,
): { changes: ViewChange<View>[]; refusals: Refusal[] } {
  const modelUids = new Set(models.map(({ uid }) => uid))
  const left = [...here]
  const changes: ViewChange<View>[] = []
  const refusals: Refusal[] = []
  for (const [index, { modelUid, name, type, settings }] of incoming.entries()) {
    const place = left.findIndex((own) => own.modelUid === modelUid && own.name === name)
    const [before = null] = place < 0 ? [] : left.splice(place, 1)
    if (!takes(keyOf({ modelUid, name }), true)) continue
    const known = viewTypes.find((candidate) => candidate === type)
    const read = viewSettingsSchema.safeParse(settings, { reportInput: true })
    const issues: Issue[] = [
      ...(known ? [] : [{ path: 'type', code: 'InvalidValue' as const }]),
      ...(modelUids.has(modelUid) ? [] : [{ path: 'modelUid', code: 'InvalidValue' as const }]),
      ...(read.success ? [] : zodIssues(read.error.issues, ['settings'])),
    ]
    if (issues.length > 0)
      refusals.push({ reason: 'invalid', kind: 'view', uid: name, index, field: null, at: null, issues })
    else if (known && read.success) {
      const values = { modelUid, name, type: known, settings: read.data }
      if (!before || before.type !== known || !isSameValue(before.settings, read.data))
        changes.push({ index, before, values })
    }
  }
  const gone = left.filter((view) => takes(keyOf(view), false))
  return {
    changes: [...changes, ...gone.map((before) => ({ index: -1, before, values: null }))],
    refusals,
  }
}

const keyOf = ({ modelUid, name }: Pick<ViewValues, 'modelUid' | 'name'>) => itemKey('view', name, modelUid)
