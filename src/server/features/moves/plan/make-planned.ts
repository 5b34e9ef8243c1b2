import type { AppContext, SpaceContext } from '#server/access/context.ts'
import { mostFields } from '#server/content/recognition/seen.ts'
import { createApp } from '#server/features/apps/apps.service.ts'
import {
  insertCustomType,
  listCustomTypes,
  planChange,
} from '#server/features/custom-types/custom-types.service.ts'
import {
  addModel,
  type CustomTypeRecord,
  lockModels,
  type ModelRecord,
  readCarriedFields,
  requireModel,
} from '#server/features/models/models.service.ts'
import { changeModel } from '#server/features/models/planned-changes.service.ts'
import type { MadeModel } from '#server/features/portable-apps/portable-apps.service.ts'
import {
  type AppMerge,
  merge,
  noSchema,
  requireWhole,
  writeMerged,
} from '#server/features/schema-merge/schema-merge.service.ts'
import type { MovePlan, PlannedField, PlannedParts } from '#shared/contract/move-plans.ts'
import type {
  Additions,
  GrownPart,
  MakingProblem,
  NewField,
  NewModel,
} from '#shared/contract/move-updates.ts'
import { AppError } from '#shared/errors.ts'
import { createResolver } from '#shared/fields/custom-types.ts'
import type { Field } from '#shared/fields/index.ts'
import { chooseTitleField, type FieldBody } from '#shared/fields/read-fields.ts'
import { customTypesIn, targetUids } from '#shared/fields/references.ts'
import { carriedUidProblem } from '#shared/identifiers.ts'
import type { Refusal } from '#shared/schema-merge/schema.ts'

const bodiesOf = (planned: readonly PlannedField[]): FieldBody[] =>
  planned.map(({ field }) => {
    const { _id, ...body } = field
    return body as FieldBody
  })

/**
 * Validates the app uid, the models and the custom types of a plan. Throws 400 with every invalid value and its path in
 * `data`.
 */
export function readMovePlan({ app, models, customTypes }: MovePlan): AppMerge {
  const merged = merge({
    theirs: {
      models: models.map((model) => ({ ...model, fields: bodiesOf(model.fields) })),
      customTypes: customTypes.map((type) => ({ ...type, fields: bodiesOf(type.fields) })),
    },
    here: noSchema,
  })
  const place = ({ kind, index, at }: Refusal) => {
    const field = at === null ? '' : `.fields.${at}.field`
    return `data.${kind === 'model' ? 'models' : 'customTypes'}.${index}${field}`
  }
  const problem = carriedUidProblem('app', app.uid)
  requireWhole(merged, place, problem ? [{ path: 'data.app.uid', code: problem }] : [])
  return merged
}

/**
 * Creates the app of a plan with its models, without documents. Throws `AppUidIsAlreadyInUse` and the errors of {@link
 * readMovePlan}.
 */
export async function makePlannedApp(
  ctx: SpaceContext,
  plan: MovePlan,
): Promise<{ appId: number; models: MadeModel[] }> {
  const merged = readMovePlan(plan)
  const app = await createApp(ctx, plan.app)
  const made = await writeMerged(app, merged)
  const models = made.models.map(({ uid, scope }, index) => {
    const { from = uid, documents } = plan.models[index] ?? {}
    const { draft = 0, published = 0, changed = 0, unpublished = 0 } = documents ?? {}
    return { model: from, modelId: scope.modelId, total: draft + published + changed + unpublished }
  })
  return { appId: app.scope.appId, models }
}

/**
 * Creates the chosen additions in the caller's transaction: models, fields of existing models and custom types, and the
 * custom types that they need. Existing fields stay unchanged. Returns the plan extended by the created parts, the
 * outcome of each addition, and the created models.
 */
export async function makeAdditions<Plan extends PlannedParts>(
  app: AppContext,
  plan: Plan,
  additions: Additions,
): Promise<{ plan: Plan; additions: Additions; models: MadeModel[] }> {
  return new Making(app, plan, additions).run()
}

class Making<Plan extends PlannedParts> {
  readonly #app: AppContext
  readonly #additions: Additions
  #plan: Plan
  #models: ModelRecord[] = []
  #types: CustomTypeRecord[] = []
  #modelUids: ReadonlySet<string> = new Set()

  constructor(app: AppContext, plan: Plan, additions: Additions) {
    this.#app = app
    this.#plan = plan
    this.#additions = additions
  }

  async run() {
    this.#models = await lockModels(this.#app)
    this.#types = await listCustomTypes(this.#app)
    const here = this.#models.map(({ uid }) => uid)
    const models = this.#additions.models.map((model): NewModel => {
      if (!model.takes) return leftModel(model, null)
      return here.includes(model.uid) ? leftModel(model, 'taken') : model
    })
    const taken = models.filter(({ outcome }) => outcome === null)
    this.#modelUids = new Set([...here, ...taken.map(({ uid }) => uid)])
    await this.#makeTypes([...taken, ...this.#additions.parts].flatMap(({ fields }) => fields))
    const made: MadeModel[] = []
    const settled: NewModel[] = []
    for (const model of models) {
      if (model.outcome !== null) settled.push(model)
      else settled.push(await this.#makeModel(model, made))
    }
    const parts: GrownPart[] = []
    for (const part of this.#additions.parts)
      parts.push(await (part.kind === 'model' ? this.#growModel(part) : this.#growType(part)))
    return { plan: this.#plan, additions: { ...this.#additions, models: settled, parts }, models: made }
  }

  /** Creates the new custom types that these fields reference, directly or nested. */
  async #makeTypes(fields: readonly NewField[]): Promise<void> {
    const { customTypes } = this.#additions
    const needed = new Set<string>()
    const need = (inside: readonly PlannedField[]) => {
      for (const { uid } of customTypesIn(inside.map(({ field }) => field as unknown as Field))) {
        if (needed.has(uid)) continue
        needed.add(uid)
        need(customTypes.find((type) => type.uid === uid)?.fields ?? [])
      }
    }
    need(fields.filter(({ takes }) => takes))
    for (const type of customTypes) {
      const { uid, name, description } = type
      if (!needed.has(uid) || this.#types.some((known) => known.uid === uid || known.name === name)) continue
      const { fields: own, settled } = this.#read(type.fields.map(asTaken), uid)
      this.#types.push(await insertCustomType(this.#app, { uid, name, description, fields: own }))
      this.#plan = {
        ...this.#plan,
        customTypes: [...this.#plan.customTypes, { ...type, fields: madeOf(settled) }],
      }
    }
  }

  async #makeModel(model: NewModel, made: MadeModel[]): Promise<NewModel> {
    const { from, uid, name, description, titleField, foundBy, source, documents } = model
    const { fields, settled } = this.#read(model.fields)
    const title = fields.find((field) => field.uid === titleField)?.uid
    const { scope } = await addModel(this.#app, {
      uid,
      name,
      description,
      fields,
      titleField: chooseTitleField(fields, title, undefined),
    })
    made.push({ model: from, modelId: scope.modelId, total: 0 })
    const planned = { from, uid, name, description, titleField, foundBy, source, documents }
    this.#plan = { ...this.#plan, models: [...this.#plan.models, { ...planned, fields: madeOf(settled) }] }
    return { ...model, outcome: 'made', fields: settled }
  }

  async #growModel(part: GrownPart): Promise<GrownPart> {
    const { uid } = part
    if (!this.#models.some((model) => model.uid === uid)) return leftPart(part, 'gone')
    const before = await requireModel(this.#app, uid, 'update')
    const planned = this.#plan.models.find(({ from }) => from === part.from)
    const { fields, settled, known } = this.#grow(part, before.fields, planned?.fields ?? [])
    if (fields.length > before.fields.length) {
      const resolve = createResolver(this.#types)
      const change = { from: resolve(before.fields), to: resolve(fields) }
      const { name, description, titleField } = before
      await changeModel(this.#app, { model: before, change }, { uid, name, description, fields, titleField })
    }
    const models = this.#plan.models.map((model) => (model === planned ? { ...model, fields: known } : model))
    this.#plan = { ...this.#plan, models }
    return { ...part, fields: settled }
  }

  async #growType(part: GrownPart): Promise<GrownPart> {
    const { uid } = part
    const before = this.#types.find((type) => type.uid === uid)
    if (!before) return leftPart(part, 'gone')
    const planned = this.#plan.customTypes.find((type) => type.uid === uid)
    const { fields, settled, known } = this.#grow(part, before.fields, planned?.fields ?? [], uid)
    if (fields.length > before.fields.length) {
      const { name, description } = before
      const models = await lockModels(this.#app)
      const values = { uid, name, description, fields }
      await (await planChange(this.#app, { models, types: this.#types, before, values })).apply()
      this.#types = await listCustomTypes(this.#app)
    }
    const customTypes = this.#plan.customTypes.map((type) =>
      type === planned ? { ...type, fields: known } : type,
    )
    this.#plan = { ...this.#plan, customTypes }
    return { ...part, fields: settled }
  }

  /**
   * Inserts new fields, each after the field that precedes it at the source. `known`: the fields of the updated plan.
   */
  #grow(part: GrownPart, existing: readonly Field[], planned: readonly PlannedField[], owner?: string) {
    const { fields: read, settled } = this.#read(part.fields, owner, existing)
    const fields = [...existing]
    const known = [...planned]
    for (const one of settled) {
      const field = one.outcome === 'made' ? read.find(({ uid }) => uid === one.field.uid) : undefined
      if (!field) continue
      const previous = known.find(({ from }) => from === one.after)?.field.uid ?? one.after
      const at = fields.findIndex(({ uid }) => uid === previous)
      fields.splice(at < 0 ? fields.length : at + 1, 0, field)
      known.push(...madeOf([one]))
    }
    return { fields, settled, known }
  }

  /** Reads the chosen fields one by one, so that one invalid field does not prevent the others. */
  #read(news: readonly NewField[], owner?: string, existing: readonly Field[] = []) {
    const around = { modelUids: this.#modelUids, customTypes: this.#types, owner }
    const read = (some: readonly NewField[]) => readCarriedFields(bodiesOf(some), around)
    const fields: Field[] = []
    const settled = news.map((one): NewField => {
      if (!one.takes) return { ...one, outcome: 'left' }
      const refused = (problem: MakingProblem): NewField => ({ ...one, outcome: 'refused', problem })
      const { uid } = one.field
      if ([...existing, ...fields].some((field) => field.uid === uid)) return refused('taken')
      if (existing.length + fields.length >= mostFields) return refused('tooMany')
      try {
        fields.push(...read([withoutCondition(one)]))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return refused(this.#lacksTarget(one) ? 'lacksTarget' : 'invalid')
      }
      return { ...one, outcome: 'made' }
    })
    const made = settled.filter(({ outcome }) => outcome === 'made')
    if (!made.some(({ field }) => field.condition)) return { fields, settled }
    try {
      // A condition refers to another field, so all fields are needed to read it.
      return { fields: read(made), settled }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { fields, settled }
    }
  }

  /** Returns whether the field references a model or custom type that the app lacks. */
  #lacksTarget({ field }: NewField): boolean {
    const own = [field as unknown as Field]
    return (
      targetUids(own).some((uid) => !this.#modelUids.has(uid)) ||
      customTypesIn(own).some(({ uid }) => !this.#types.some((type) => type.uid === uid))
    )
  }
}

function withoutCondition(one: NewField): NewField {
  const { condition: _, ...field } = one.field
  return { ...one, field }
}

const asTaken = (field: PlannedField): NewField => ({
  ...field,
  after: null,
  takes: true,
  outcome: null,
  problem: null,
})

const madeOf = (settled: readonly NewField[]): PlannedField[] =>
  settled.flatMap(({ after, takes, outcome, problem, ...planned }) => (outcome === 'made' ? [planned] : []))

const leftFields = (fields: NewField[], problem: MakingProblem | null) =>
  fields.map((field): NewField => {
    const isRefused = field.takes && problem !== null
    return { ...field, outcome: isRefused ? 'refused' : 'left', problem: isRefused ? problem : null }
  })

const leftModel = (model: NewModel, problem: MakingProblem | null): NewModel => ({
  ...model,
  outcome: problem === null ? 'left' : 'refused',
  problem,
  fields: leftFields(model.fields, problem),
})

const leftPart = (part: GrownPart, problem: MakingProblem): GrownPart => ({
  ...part,
  fields: leftFields(part.fields, problem),
})
