import { type Converting, follow, type KeptValues } from '#server/content/conversion.ts'
import { uniqueValuesOf } from '#server/content/derived.ts'
import { checkWithPatterns } from '#server/content/text-work.ts'
import { Pace } from '#server/lib/pace.ts'
import type { IssueCode } from '#shared/errors.ts'
import { subjectsOf } from '#shared/fields/conditions.ts'
import type { ModelConversion } from '#shared/fields/convert.ts'
import { checkValues, type StoredValues } from '#shared/fields/document.ts'
import type { Field } from '#shared/fields/index.ts'
import type { DocumentValues } from './values.repository.ts'

/**
 * A rule that documents break after a change of fields, with the number of these documents. These documents can no
 * longer be published.
 */
export interface Blocked {
  /** uid of the model's field after the change. */
  field: string
  code: IssueCode
  documents: number
}

/** Returns a field as JSON, without the settings that do not affect its rules. */
const rulesOf = ({ uid: _uid, name: _name, description: _text, width: _width, tab: _tab, ...rules }: Field) =>
  JSON.stringify(rules)

/** Counts the documents outside the trash that changed rules would prevent from being published. */
export class BlockedCount {
  /** `_id`s of the fields whose values must be read. Empty: no rule changed. */
  readonly fieldIds: string[]
  private readonly after: Converting
  private readonly from: Field[]
  private readonly to: Field[]
  /** uids, after the change, of the fields whose rules changed. */
  private readonly concerned: Set<string>
  private readonly counts = new Map<string, Blocked>()
  private readonly taken = new Set<string>()
  private readonly unique: Field[]

  /** `model`: the model before the change. */
  constructor(
    model: Converting,
    { from, to }: { from: Field[]; to: Field[] },
    change: Omit<ModelConversion, 'version'>,
  ) {
    const before = new Map(from.map((field) => [field._id, rulesOf(field)]))
    const concerned = to.filter((field) => before.get(field._id) !== rulesOf(field))
    const needed = (field: Field, beside: Field[]) => [
      field._id,
      ...subjectsOf(field, beside).map(({ subject }) => subject._id),
    ]
    const uniqueIds = new Set(change.unique?.fieldIds)
    this.from = from
    this.to = to
    this.concerned = new Set(concerned.map(({ uid }) => uid))
    this.unique = to.filter(({ _id, unique }) => unique && uniqueIds.has(_id))
    this.fieldIds = [
      ...new Set(
        [...concerned, ...this.unique].flatMap((field) => [...needed(field, from), ...needed(field, to)]),
      ),
    ]
    // The change is treated as a conversion that is not yet applied to any document.
    this.after = { conversions: [...model.conversions, { ...change, version: Number.POSITIVE_INFINITY }] }
  }

  /** `kept`: if the change undoes an earlier one, the values of the documents from before that earlier change. */
  async add(documents: DocumentValues[], kept: Map<string, KeptValues[]>): Promise<void> {
    if (this.fieldIds.length === 0) return
    const pace = new Pace()
    for (const stored of documents) {
      await pace.giveWay()
      const before = stored.draft ?? stored.pub
      if (stored.trashed || !before) continue
      const { document } = await follow(this.after, stored, kept.get(stored.id))
      const values = document.draft ?? document.pub ?? {}
      const known = new Set(await this.brokenRules(this.from, before))
      const broken = (await this.brokenRules(this.to, values)).filter((key) => !known.has(key))
      for (const key of new Set([...broken, ...this.repeats(values)])) this.count(key)
    }
  }

  /** Returns `<_id of the field> <code>` for each broken rule of the changed fields. */
  private async brokenRules(fields: Field[], values: StoredValues): Promise<string[]> {
    const issues = await checkWithPatterns((environment) =>
      checkValues({ fields, titleField: null }, values, environment),
    )
    const byUid = new Map(fields.map((field) => [field.uid, field._id]))
    const concernedIds = new Set(this.to.flatMap(({ _id, uid }) => (this.concerned.has(uid) ? [_id] : [])))
    return issues.flatMap(({ path, code }) => {
      const id = byUid.get(path.split('.', 1)[0] ?? '') ?? ''
      return concernedIds.has(id) ? [`${id} ${code}`] : []
    })
  }

  /**
   * Returns `<_id of the field> DuplicatedValue` for each unique value that a previously added document has too. The
   * first document with a value can still be published; later ones cannot.
   */
  private repeats(values: StoredValues): string[] {
    return uniqueValuesOf(this.unique, null, values).flatMap(({ fieldId, hash }) => {
      const key = `${fieldId}${hash.toString('latin1', 0, 12)}`
      if (this.taken.has(key)) return [`${fieldId} DuplicatedValue`]
      this.taken.add(key)
      return []
    })
  }

  private count(key: string): void {
    const [id, code] = key.split(' ') as [string, IssueCode]
    const field = this.to.find(({ _id }) => _id === id)?.uid ?? ''
    const known = this.counts.get(key)
    this.counts.set(key, { field, code, documents: (known?.documents ?? 0) + 1 })
  }

  /** Returns the counts in the order of fields and codes. */
  blocked(): Blocked[] {
    const place = ({ field }: Blocked) => this.to.findIndex(({ uid }) => uid === field)
    const all = [...this.counts.values()]
    return all.sort((a, b) => place(a) - place(b) || (a.code < b.code ? -1 : 1))
  }
}
