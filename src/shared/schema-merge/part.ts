import type { Issue } from '../errors.ts'
import { type CustomType, nestingIssues } from '../fields/custom-types.ts'
import { mostFields } from '../fields/field-type.ts'
import type { Field } from '../fields/index.ts'
import { carryReference, renamed } from '../fields/portable.ts'
import { type FieldBody, parseField } from '../fields/read-fields.ts'
import { customTypesIn, targetUids } from '../fields/references.ts'
import { conditionIssues, fieldIssues } from '../fields/settings.ts'
import {
  fieldKind,
  type IncomingPart,
  itemKey,
  type LeftOut,
  type PartKind,
  type Refusal,
  type RefusalReason,
} from './schema.ts'

export interface Around {
  compiles(pattern: string): boolean
  hasModel(uid: string): boolean
  hasCustomType(uid: string): boolean
  /**
   * Returns the new target of a reference. `undefined`: the reference is left out. Without this function, a field that
   * refers to a missing model is refused.
   */
  target?: ((modelUid: string) => string | undefined) | undefined
  /** Returns whether the item is applied. `comes`: whether the item is in `theirs`. */
  takes(key: string, comes: boolean): boolean
  idOf(owner: string, field: string): string
}

interface Entry {
  field: Field
  /** Index of the incoming field. `null` for an unchanged field of the app. */
  at: number | null
}

/**
 * The fields of one model or custom type during the merge. Fields that cannot be applied are refused individually,
 * without stopping the merge.
 */
export class PartFields {
  readonly refusals: Refusal[] = []
  readonly leftOut: LeftOut[] = []
  readonly kind: PartKind
  readonly index: number
  readonly part: IncomingPart
  readonly #own: readonly Field[] | undefined
  readonly #around: Around
  #entries: Entry[]
  /**
   * Incoming fields that are not applied, by uid. `null`: refused. Otherwise the uid of the missing model, without
   * which the field was left out.
   */
  readonly #lost = new Map<string, string | null>()

  /**
   * `own` contains the fields that the app has. `undefined`: all incoming fields are applied, because the part is new
   * or only compared.
   */
  constructor(
    kind: PartKind,
    index: number,
    part: IncomingPart,
    own: readonly Field[] | undefined,
    around: Around,
  ) {
    this.kind = kind
    this.index = index
    this.part = part
    this.#own = own
    this.#around = around
    this.#entries = (own ?? []).map((field) => ({ field, at: null }))
  }

  get fields(): Field[] {
    return this.#entries.map(({ field }) => field)
  }

  /** Applies the chosen incoming fields, and removes chosen fields of the app that are not incoming. */
  read(): void {
    const { kind, part } = this
    const own = this.#own ?? []
    const takes = (uid: string, comes: boolean) =>
      this.#own === undefined || this.#around.takes(itemKey(fieldKind(kind), uid, part.uid), comes)
    const incoming = new Set(part.fields.map(({ uid }) => uid))
    this.#entries = this.#entries.filter(
      ({ field: { uid } }) => incoming.has(uid) || this.#own === undefined || !takes(uid, false),
    )
    const ids = new Map(own.map(({ uid, _id }) => [uid, _id]))
    for (const uid of incoming) if (!ids.has(uid)) ids.set(uid, this.#around.idOf(`${kind} ${part.uid}`, uid))
    const names = new Map(part.fields.flatMap(({ _id, uid }) => (_id ? [[_id, ids.get(uid) ?? '']] : [])))
    const seen = new Set<string>()
    for (const [at, body] of part.fields.entries()) {
      const { uid } = body
      if (!takes(uid, true)) continue
      if (seen.has(uid))
        this.refuse('invalid', { field: uid, at }, [{ path: 'uid', code: 'DuplicatedValue' }])
      else this.#take({ ...renamed(body, names), _id: ids.get(uid) }, at)
      seen.add(uid)
    }
    this.#checkConditions()
  }

  #take(body: FieldBody, at: number): void {
    const { uid } = body
    const place = this.#entries.findIndex(({ field }) => field.uid === uid)
    const read = this.#read(body, place >= 0)
    if ('reason' in read) {
      const { reason, issues, lacking } = read
      this.#lost.set(uid, null)
      this.refuse(reason, { field: uid, at: reason === 'tooMany' ? null : at }, issues, lacking)
      return
    }
    const field = this.#carry(read.field)
    if (!field) return
    if (place >= 0) this.#entries[place] = { field, at }
    else this.#entries.splice(this.#placeBehind(at), 0, { field, at })
  }

  #read(
    body: FieldBody,
    isHere: boolean,
  ): { field: Field } | { reason: RefusalReason; issues: Issue[]; lacking?: string[] } {
    if (isHere && this.part.whenHere === 'grow')
      return { reason: 'taken', issues: [{ path: 'uid', code: 'DuplicatedValue' }] }
    if (!isHere && this.#entries.length >= mostFields) {
      const params = { maximum: mostFields }
      return { reason: 'tooMany', issues: [{ path: 'fields', code: 'TooManyItems', params }] }
    }
    const field = parseField(body)
    if (Array.isArray(field)) return { reason: 'invalid', issues: field }
    const { target, hasModel, hasCustomType, compiles } = this.#around
    const issues = fieldIssues(field, {
      compiles,
      carried: !isHere,
      uid: body.uid,
      hasModel: target ? () => true : hasModel,
      hasCustomType,
    })
    if (issues.length === 0) return { field }
    const lacking = [
      ...targetUids([field]).filter((uid) => !hasModel(uid)),
      ...customTypesIn([field]).flatMap(({ uid }) => (hasCustomType(uid) ? [] : [uid])),
    ]
    return { reason: lacking.length > 0 ? 'lacks' : 'invalid', issues, lacking }
  }

  /** Returns the position after the nearest preceding incoming field that exists here, or 0. */
  #placeBehind(at: number): number {
    for (let before = at - 1; before >= 0; before--) {
      const place = this.#entries.findIndex(({ field }) => field.uid === this.part.fields[before]?.uid)
      if (place >= 0) return place + 1
    }
    return 0
  }

  /** Returns the field with its references mapped. `null` if none of its references remains. */
  #carry(field: Field): Field | null {
    const { target } = this.#around
    if (!target) return field
    const { field: carried, leftOut } = carryReference(field, target)
    for (const { path, model } of leftOut) this.#leaveOut(path, model)
    if (!carried) this.#lost.set(field.uid, leftOut[0]?.model ?? null)
    return carried
  }

  #leaveOut(path: string, model: string): void {
    this.leftOut.push({ kind: this.kind, uid: this.part.uid, path, model })
  }

  /** Removes conditions on refused and left-out fields. Refuses and removes invalid conditions. */
  #checkConditions(): void {
    this.#entries = this.#entries.map((entry) => {
      const { condition } = entry.field
      if (!condition || !this.#lost.has(condition.field) || this.#has(condition.field)) return entry
      const model = this.#lost.get(condition.field)
      if (model) this.#leaveOut(`${entry.field.uid}.condition`, model)
      return withoutCondition(entry)
    })
    const wrong = new Set<Entry>()
    for (const issue of conditionIssues(this.fields)) {
      const [place = '', ...path] = issue.path.split('.')
      const entry = this.#entries[Number(place)]
      if (!entry) continue
      wrong.add(entry)
      const { field, at } = entry
      // The index of a field of the app is its position in the app.
      const index = at ?? this.#own?.findIndex(({ uid }) => uid === field.uid) ?? null
      const told = { ...issue, path: path.join('.') }
      this.refuse('condition', { field: field.uid, at: index }, [told])
    }
    this.#entries = this.#entries.map((entry) => (wrong.has(entry) ? withoutCondition(entry) : entry))
  }

  #has(uid: string): boolean {
    return this.#entries.some(({ field }) => field.uid === uid)
  }

  /**
   * Refuses fields until the nesting of custom types in this part is valid. `types` are all custom types after the
   * merge.
   */
  checkNesting(types: readonly Pick<CustomType, 'uid' | 'fields'>[]): void {
    const owner = this.kind === 'customType' ? this.part.uid : undefined
    let isTold = false
    for (;;) {
      const [issue] = nestingIssues(this.fields, types, owner)
      if (!issue) return
      const [place = '', ...path] = issue.path.split('.')
      const named = issue.path === '' ? undefined : this.#entries[Number(place)]
      const news = this.#entries.filter(({ at }) => at !== null)
      const culprit = named ?? news.find(({ field }) => nestingIssues([field], types, owner).length > 0)
      const entry = culprit ?? news.at(-1)
      if (entry?.at === undefined || entry.at === null) {
        this.refuse('invalid', { field: null, at: null }, [{ ...issue, path: 'fields' }])
        return
      }
      if (entry === named) this.#drop(entry, entry.at, [{ ...issue, path: path.join('.') }])
      else this.#drop(entry, null, isTold ? [] : [{ ...issue, path: 'fields' }])
      isTold ||= entry !== named
    }
  }

  #drop(entry: Entry, at: number | null, issues: Issue[]): void {
    const { uid } = entry.field
    this.refuse('invalid', { field: uid, at }, issues)
    this.#lost.set(uid, null)
    // A field of the app that would have been replaced is kept.
    const before = this.#own?.find((field) => field.uid === uid)
    this.#entries = this.#entries.flatMap((one) => {
      if (one !== entry) return [one]
      return before ? [{ field: before, at: null }] : []
    })
    this.#checkConditions()
  }

  /** Records that the part, or one of its fields, is not applied. */
  refuse(
    reason: RefusalReason,
    { field, at }: Pick<Refusal, 'field' | 'at'>,
    issues: Issue[],
    lacking: string[] = [],
  ): void {
    const { kind, index } = this
    const named = { reason, kind, uid: this.part.uid, index, field, at, issues }
    this.refusals.push(lacking.length > 0 ? { ...named, lacking } : named)
  }
}

function withoutCondition({ field: { condition: _, ...field }, at }: Entry): Entry {
  return { field: field as Field, at }
}
