import { type Converting, follow, type KeptValues } from '#server/content/conversion.ts'
import { convertWithMarkdown } from '#server/content/text-work.ts'
import { Pace } from '#server/lib/pace.ts'
import {
  convertValue,
  type FieldChange,
  type LossReason,
  type ModelConversion,
} from '#shared/fields/convert.ts'
import { targetUids } from '#shared/fields/references.ts'
import { type States, takeBack } from '#shared/fields/take-back.ts'
import { allFields } from '#shared/fields/walk.ts'
import type { DocumentValues } from './values.repository.ts'

export interface Loss {
  /** Path of the previous field: `title`, or nested `sections[hero].data.title`. */
  field: string
  documents: number
  reason: LossReason
}

/** Counts the documents outside the trash that would lose values by a change of fields. */
export class LossCount {
  /** `_id`s of the fields whose values must be read. Empty: nothing can be lost. */
  readonly fieldIds: string[]
  private readonly model: Converting
  private readonly takesBack: ModelConversion['takesBack']
  /** Each change with its losses by path. */
  private readonly changes: { change: FieldChange; losses: Map<string, Loss> }[]

  /** `model`: the model before the change. */
  constructor(model: Converting, { changes, takesBack }: Omit<ModelConversion, 'version'>) {
    this.model = model
    this.takesBack = takesBack
    this.changes = changes.map((change) => ({ change, losses: new Map() }))
    this.fieldIds = changes.map(({ from }) => from._id)
  }

  /**
   * `kept`: if the change undoes an earlier one, the values of the documents from before that earlier change.
   * `referred`: for referenced documents in the models {@link removedTargets}, the uid of the model by the `_id` of the
   * document.
   */
  async add(
    documents: DocumentValues[],
    kept: Map<string, KeptValues[]>,
    referred: ReadonlyMap<string, string>,
  ): Promise<void> {
    if (this.changes.length === 0) return
    const pace = new Pace()
    for (const stored of documents) {
      await pace.giveWay()
      if (stored.trashed) continue
      const { document } = await follow(this.model, stored)
      const { draft, pub } = await this.notRestored(document, kept.get(document.id))
      const states = [draft, pub].filter((values) => values !== null)
      if (states.length === 0) continue
      for (const { change, losses } of this.changes) {
        const values = states.map((state) => state[change.from._id])
        for (const [field, reason] of await lossesOf(change, values, referred)) {
          const known = losses.get(field)
          losses.set(field, {
            field,
            documents: (known?.documents ?? 0) + 1,
            reason: known?.reason ?? reason,
          })
        }
      }
    }
  }

  /** Returns the values of a document that must be converted. Omits values that an undo restores unchanged. */
  private async notRestored(document: DocumentValues, kept: KeptValues[] = []): Promise<States> {
    const { takesBack } = this
    const [held] = kept
    if (!takesBack || !held) return document
    const taking = { changes: takesBack.changes, back: this.changes.map(({ change }) => change) }
    const isUntouched = held.documentVersion === document.version
    return convertWithMarkdown(
      (environment) => takeBack(document, { ...held, isUntouched }, taking, environment).open,
    )
  }

  /** Returns the losses in the order of the fields. */
  losses(): Loss[] {
    const inOrder = (a: Loss, b: Loss) => (a.field < b.field ? -1 : 1)
    return this.changes.flatMap(({ losses }) => [...losses.values()].sort(inOrder))
  }
}

/** Returns the uids of the models to which fields, or nested fields, no longer refer. Removed fields are ignored. */
export function removedTargets(changes: FieldChange[]): string[] {
  const removed = changes.flatMap(({ from, to }) => {
    const now = new Set(to ? targetUids(allFields([to])) : [])
    return to ? targetUids(allFields([from])).filter((uid) => !now.has(uid)) : []
  })
  return [...new Set(removed)]
}

/** Returns the losses in these values: each path once, with the reason of its first loss. */
async function lossesOf(
  { from, to }: FieldChange,
  values: unknown[],
  referred: ReadonlyMap<string, string>,
): Promise<Map<string, LossReason>> {
  const isIn = (id: string, uids: readonly string[]) => uids.includes(referred.get(id) ?? '')
  return convertWithMarkdown((around) => {
    const environment = { ...around, isIn }
    const found = new Map<string, LossReason>()
    const tell = (path: string, reason: LossReason) => {
      if (!found.has(path)) found.set(path, reason)
    }
    for (const value of values) convertValue(from, to, value, environment, tell)
    return found
  })
}
