import { type Field, isMultiple } from '#shared/fields/index.ts'
import type { Format } from '../fields/field-type.ts'
import type { Stage } from '../query/sql.ts'
import { AnswerTooLarge, type DocumentRow } from '../read.ts'
import type { Contents, NestedValue } from './contents.ts'
import { maximumAnswer } from './limits.ts'
import type { ResponsePlan } from './response-plan.ts'
import { idsIn } from './values.ts'

/** Writes contents as JSON text. Each content is written once per plan and reused wherever it appears. */
export class Writer {
  private readonly stage: Stage
  private readonly contents: Contents
  private readonly written = new Map<ResponsePlan, Map<string, string>>()

  constructor(stage: Stage, contents: Contents) {
    this.stage = stage
    this.contents = contents
  }

  document(plan: ResponsePlan, row: DocumentRow): string {
    let written = this.written.get(plan)
    if (!written) {
      written = new Map()
      this.written.set(plan, written)
    }
    const known = written.get(row.id)
    if (known !== undefined) return known
    const { fragments } = row
    let text = `{"_id":"${row.id}"${this.system(plan, row)}`
    for (const part of plan.parts) {
      const json = fragments.get(part.field._id)
      if (part.plans || part.isAsset) text += part.key + this.reference(part, json)
      else if (part.inner) text += part.key + this.pieces(this.contents.nestedValue(row, part))
      else {
        const value = (part.convert && this.contents.convertedValue(row, part)) ?? part.write(json)
        if (value !== undefined) text += part.key + value
      }
      if (text.length >= maximumAnswer) throw new AnswerTooLarge()
    }
    text += '}'
    written.set(row.id, text)
    return text
  }

  private pieces(pieces: NestedValue): string {
    let text = ''
    for (const piece of pieces) {
      text += typeof piece === 'string' ? piece : this.reference(piece, piece.json)
      if (text.length >= maximumAnswer) throw new AnswerTooLarge()
    }
    return text
  }

  /** Writes the contents that the `_id`s in a value refer to; without `plans`, the assets. */
  private reference(
    {
      field,
      plans,
      format,
    }: { field: Field; plans?: ResponsePlan[] | undefined; format?: Format | undefined },
    json: string | undefined,
  ): string {
    const textOf = (id: string): string | undefined => {
      if (!plans) return this.contents.asset(id, format)
      for (const plan of plans) {
        const row = this.contents.of(plan.model)?.get(id)
        if (row) return this.document(plan, row)
      }
      return undefined
    }
    const ids = idsIn(field, json)
    if (!isMultiple(field)) return textOf(ids[0] ?? '') ?? 'null'
    const texts: string[] = []
    let size = 0
    for (const id of ids) {
      const text = textOf(id)
      if (text === undefined) continue
      size += text.length
      if (size >= maximumAnswer) throw new AnswerTooLarge()
      texts.push(text)
    }
    return `[${texts.join(',')}]`
  }

  /** Writes `,"_sys":{…}`: all of it, or the selected names in their usual order. */
  private system({ sys: selected, model, isOneOfSeveral }: ResponsePlan, row: DocumentRow): string {
    const { createdAt, updatedAt, firstPublishedAt, publishedAt, customOrder } = row
    const published = this.stage === 'published'
    const created = published ? (firstPublishedAt ?? createdAt) : createdAt
    const updated = published ? (publishedAt ?? updatedAt) : updatedAt
    if (!selected || selected.has('')) {
      return (
        `,"_sys":{"raw":{"createdAt":"${createdAt}","updatedAt":"${updatedAt}"` +
        `,"firstPublishedAt":${quoted(firstPublishedAt)},"publishedAt":${quoted(publishedAt)}}` +
        `${customOrder === null ? '' : `,"customOrder":${customOrder}`}` +
        `,"createdAt":"${created}","updatedAt":"${updated}"` +
        `${isOneOfSeveral ? `,"model":${JSON.stringify(model.uid)}` : ''}}`
      )
    }
    if (selected.size === 0) return ''
    const raw = { createdAt, updatedAt, firstPublishedAt, publishedAt }
    const rawNames = Object.keys(raw) as (keyof typeof raw)[]
    const wantedRaw = rawNames.filter((name) => selected.has('raw') || selected.has(`raw.${name}`))
    return `,"_sys":${JSON.stringify({
      ...(wantedRaw.length > 0
        ? { raw: Object.fromEntries(wantedRaw.map((name) => [name, raw[name]])) }
        : {}),
      ...(selected.has('customOrder') && customOrder !== null ? { customOrder } : {}),
      ...(selected.has('createdAt') ? { createdAt: created } : {}),
      ...(selected.has('updatedAt') ? { updatedAt: updated } : {}),
      ...(selected.has('model') && isOneOfSeveral ? { model: model.uid } : {}),
    })}`
  }
}

const quoted = (time: string | null) => (time === null ? 'null' : `"${time}"`)
