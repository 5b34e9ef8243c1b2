import type { Pace } from '#server/lib/pace.ts'
import type { AssetHost } from '#shared/asset-address.ts'
import type { Field } from '#shared/fields/index.ts'
import { presentAssets, type ShownAsset, withPlaceholder } from '../assets.ts'
import type { Format } from '../fields/field-type.ts'
import type { ContentModel } from '../model.ts'
import { badQuery } from '../query/bad-query.ts'
import type { Stage } from '../query/sql.ts'
import {
  AnswerTooLarge,
  type DocumentRow,
  type Handle,
  type Referred,
  referredRows,
  toRows,
} from '../read.ts'
import { maximumAnswer, maximumReferred } from './limits.ts'
import { presentNested, type Reference } from './nested.ts'
import { type Codec, isFlat, type Part, type ResponsePlan } from './response-plan.ts'
import { idsIn } from './values.ts'

/**
 * The pieces of a delivered value with inner values: JSON text, and references that are written after all contents are
 * loaded.
 */
export type NestedValue = (string | Reference<ResponsePlan>)[]

/** The contents and assets that a response depends on, in addition to its own rows. */
export interface Sources {
  /** `_id`s of the contents loaded through references, by model. */
  referred: Map<ContentModel, string[]>
  /** Models in which referenced contents were not found. A new content in them could change the response. */
  missing: ContentModel[]
  /** `_id`s of the assets in the response, including assets that were not found. */
  assets: string[]
}

/** The data from which responses are written: contents, referenced contents, assets and converted values. */
export class Contents {
  private readonly stage: Stage
  private readonly codec: Codec
  private readonly host: AssetHost
  /**
   * Contents by model and `_id`, from the list itself and from references. null: the content does not exist in this
   * stage.
   */
  private readonly rows = new Map<ContentModel, Map<string, DocumentRow | null>>()
  private readonly converted = new Map<DocumentRow, Map<Part, string>>()
  private readonly nested = new Map<DocumentRow, Map<Part, NestedValue>>()
  private convertedSize = 0
  private readonly loaded = new Map<ContentModel, string[]>()
  /** `_id`s of all requested contents. Each is searched in one or more models. */
  private readonly asked = new Set<string>()
  /** `_id`s of the requested assets. `assets` contains the ones that exist. */
  private readonly assetIds = new Set<string>()
  private assets = new Map<string, ShownAsset>()

  constructor(stage: Stage, codec: Codec, host: AssetHost) {
    this.stage = stage
    this.codec = codec
    this.host = host
  }

  sources(): Sources {
    const found = new Set(
      [...this.rows.values()].flatMap((rows) => [...rows].flatMap(([id, row]) => (row ? id : []))),
    )
    const missing = [...this.rows].filter(([, rows]) =>
      [...rows].some(([id, row]) => row === null && !found.has(id)),
    )
    return { referred: this.loaded, missing: missing.map(([model]) => model), assets: [...this.assetIds] }
  }

  /** Returns the loaded contents of a model by `_id`. null: the content does not exist in this stage. */
  of(model: ContentModel): ReadonlyMap<string, DocumentRow | null> | undefined {
    return this.rows.get(model)
  }

  /** Returns the JSON of an asset in the requested form; undefined if there is no such asset. */
  asset(id: string, format: Format | undefined): string | undefined {
    const shown = this.assets.get(id)
    return shown && (format === 'placeholder' ? withPlaceholder(shown) : shown.json)
  }

  /** Returns the converted form of a value that is not delivered as stored; undefined if nothing is stored. */
  convertedValue(row: DocumentRow, part: Part): string | undefined {
    return this.converted.get(row)?.get(part)
  }

  nestedValue(row: DocumentRow, part: Part): NestedValue {
    return this.nested.get(row)?.get(part) ?? []
  }

  /**
   * Takes the contents that `rows` refer to from `referred`. Contents that `referred` lacks do not exist in this stage.
   */
  take(plan: ResponsePlan, rows: DocumentRow[], referred: Referred): void {
    const wanted = new Map<ResponsePlan, Set<string>>()
    collectReferences(plan, rows, wanted)
    for (const [{ model }, ids] of wanted) {
      this.count(ids)
      for (const id of ids) this.known(model).set(id, null)
    }
    for (const [model, documents] of referred)
      for (const document of documents) if (this.known(model).has(document.id)) this.add(model, document)
  }

  /**
   * Loads everything that the plan expands, level by level, and converts the values that are not delivered as stored.
   */
  async load(handle: Handle, plan: ResponsePlan, rows: DocumentRow[], pace: Pace): Promise<void> {
    await this.convert(plan, rows, pace)
    this.collectAssets(plan, rows)
    if (!isFlat(plan)) await this.loadReferred(handle, plan, rows, pace)
    this.assets = await presentAssets(handle, plan.model.app.space, [...this.assetIds], {
      ...this.codec,
      host: this.host,
      pace,
    })
  }

  private async loadReferred(
    handle: Handle,
    plan: ResponsePlan,
    rows: DocumentRow[],
    pace: Pace,
  ): Promise<void> {
    const own = this.known(plan.model)
    for (const row of rows) own.set(row.id, row) // runs after take(): a document may refer to itself
    const seen = new Map<ResponsePlan, Set<string>>()
    let level = new Map<ResponsePlan, DocumentRow[]>([[plan, rows]])
    while (level.size > 0) {
      const wanted = new Map<ResponsePlan, Set<string>>()
      for (const [at, contents] of level) this.collect(at, contents, wanted)
      await this.fetch(handle, wanted)
      level = new Map()
      for (const [next, ids] of wanted) {
        const visited = seen.get(next) ?? new Set()
        seen.set(next, visited)
        const found: DocumentRow[] = []
        for (const id of ids) {
          const row = this.known(next.model).get(id)
          if (row && !visited.has(id)) found.push(row)
          visited.add(id)
        }
        await this.convert(next, found, pace)
        this.collectAssets(next, found)
        if (found.length > 0 && !isFlat(next)) level.set(next, found)
      }
    }
  }

  private async convert({ converted, nested }: ResponsePlan, rows: DocumentRow[], pace: Pace): Promise<void> {
    if (converted.length === 0 && nested.length === 0) return
    for (const row of rows) {
      const texts = this.converted.get(row) ?? new Map<Part, string>()
      this.converted.set(row, texts)
      for (const part of converted) {
        const json = row.fragments.get(part.field._id)
        if (json === undefined) continue
        const converting = part.convert(json)
        const text = typeof converting === 'string' ? converting : await converting
        texts.set(part, text)
        this.countConverted(text.length)
        await pace.giveWay()
      }
      if (nested.length === 0) continue
      const values = this.nested.get(row) ?? new Map<Part, NestedValue>()
      this.nested.set(row, values)
      for (const part of nested) {
        const json = row.fragments.get(part.field._id)
        const value = await presentNested(part, json, this.codec.encode, pace)
        values.set(part, value)
        for (const piece of value) if (typeof piece === 'string') this.countConverted(piece.length)
        await pace.giveWay()
      }
    }
  }

  private countConverted(size: number): void {
    this.convertedSize += size
    if (this.convertedSize >= maximumAnswer) throw new AnswerTooLarge()
  }

  /** Adds the `_id`s that contents of one level refer to, by the plan that expands them. */
  private collect(plan: ResponsePlan, rows: DocumentRow[], wanted: Map<ResponsePlan, Set<string>>): void {
    collectReferences(plan, rows, wanted)
    for (const part of plan.nested)
      for (const row of rows)
        for (const piece of this.nestedValue(row, part)) {
          if (typeof piece === 'string' || !piece.plans) continue
          addWanted(wanted, piece.plans, idsIn(piece.field, piece.json))
        }
  }

  private collectAssets(plan: ResponsePlan, rows: DocumentRow[]): void {
    const collect = (field: Field, json: string | undefined) => {
      for (const id of idsIn(field, json)) this.assetIds.add(id)
    }
    for (const row of rows) {
      for (const { field } of plan.assets) collect(field, row.fragments.get(field._id))
      for (const part of plan.nested)
        for (const piece of this.nestedValue(row, part))
          if (typeof piece !== 'string' && !piece.plans) collect(piece.field, piece.json)
    }
  }

  private async fetch(handle: Handle, wantedBy: Map<ResponsePlan, Set<string>>): Promise<void> {
    const missing = new Map<ContentModel, Set<string>>()
    for (const [{ model }, ids] of wantedBy)
      for (const id of ids) {
        if (this.known(model).has(id)) continue
        const set = missing.get(model) ?? new Set()
        missing.set(model, set.add(id))
      }
    if (missing.size === 0) return
    for (const [model, ids] of missing) {
      this.count(ids)
      for (const id of ids) this.known(model).set(id, null)
    }
    const wanted = [...missing].map(([model, ids]) => ({ model, ids: [...ids] }))
    const found = await referredRows(handle, this.stage, wanted)
    for (const [model, ids] of missing) {
      const own = found.filter((row) => Number(row.model) === model.id && ids.delete(String(row.id)))
      for (const document of await toRows(handle, model, own)) this.add(model, document)
    }
  }

  private add(model: ContentModel, document: DocumentRow): void {
    this.known(model).set(document.id, document)
    const ids = this.loaded.get(model)
    if (ids) ids.push(document.id)
    else this.loaded.set(model, [document.id])
  }

  private count(ids: Iterable<string>): void {
    for (const id of ids) this.asked.add(id)
    if (this.asked.size > maximumReferred)
      throw badQuery('depth', `more than ${maximumReferred} contents would have to be resolved`)
  }

  private known(model: ContentModel): Map<string, DocumentRow | null> {
    let rows = this.rows.get(model)
    if (!rows) {
      rows = new Map()
      this.rows.set(model, rows)
    }
    return rows
  }
}

/** Adds the `_id`s in top-level reference fields, by the plan that expands them. */
function collectReferences(
  plan: ResponsePlan,
  rows: DocumentRow[],
  wanted: Map<ResponsePlan, Set<string>>,
): void {
  for (const part of plan.references)
    for (const row of rows)
      addWanted(wanted, part.plans, idsIn(part.field, row.fragments.get(part.field._id)))
}

/** Adds the `_id`s to each possible plan, because an `_id` does not name its model. */
function addWanted(wanted: Map<ResponsePlan, Set<string>>, plans: ResponsePlan[], ids: string[]): void {
  if (ids.length === 0) return
  for (const plan of plans) {
    const all = wanted.get(plan) ?? new Set()
    for (const id of ids) all.add(id)
    wanted.set(plan, all)
  }
}
