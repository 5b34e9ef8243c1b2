import { Pace } from '#server/lib/pace.ts'
import type { AssetHost } from '#shared/asset-address.ts'
import type { ContentModel } from './model.ts'
import { Contents, type Sources } from './present/contents.ts'
import { maximumAnswer } from './present/limits.ts'
import { bytes, plainText, type ResponsePlanQuery, responsePlanOf } from './present/response-plan.ts'
import { Writer } from './present/writer.ts'
import type { Stage } from './query/sql.ts'
import type { Step } from './query/tree.ts'
import { AnswerTooLarge, type DocumentRow, type Handle, type Referred } from './read.ts'

export { maximumAnswer, maximumReferred } from './present/limits.ts'

export interface PresentOptions {
  model: ContentModel
  stage: Stage
  query: ResponsePlanQuery
  host: AssetHost
}

export interface Presented extends Sources {
  /** Each row as JSON text of the delivery API. If the handle returns bytes, each character is one byte of UTF-8. */
  texts: string[]
}

/**
 * Presents rows in the form of the delivery API. References are expanded with one statement per level, assets with one
 * statement in total. `referred`: the contents that top-level reference fields of the rows refer to, if already loaded.
 *
 * Throws `AnswerTooLarge`, and a 400 if more than 2,000 contents or 20,000 assets would have to be loaded.
 */
export async function presentDocuments(
  handle: Handle,
  rows: DocumentRow[],
  { model, stage, query, host }: PresentOptions,
  referred?: Referred,
): Promise<Presented> {
  const codec = handle.bytes ? bytes : plainText
  const plan = responsePlanOf(model, query, codec)
  const contents = new Contents(stage, codec, host)
  if (referred) contents.take(plan, rows, referred)
  const pace = new Pace()
  await contents.load(handle, plan, rows, pace)
  const writer = new Writer(stage, contents)
  const texts: string[] = []
  let size = 0
  for (const row of rows) {
    const text = writer.document(plan, row)
    size += text.length
    if (size >= maximumAnswer) throw new AnswerTooLarge()
    texts.push(text)
    await pace.giveWay()
  }
  return { texts, ...contents.sources() }
}

/** Returns the reference fields of the documents themselves that {@link presentDocuments} expands. */
export function expandedFields(
  handle: Handle,
  { model, query }: Pick<PresentOptions, 'model' | 'query'>,
): Step[] {
  const plan = responsePlanOf(model, query, handle.bytes ? bytes : plainText)
  return plan.references.flatMap(({ field, plans }) => plans.map(({ model: target }) => ({ field, target })))
}

/** Returns one row as an object, in the form that {@link presentDocuments} writes. */
export async function presentDocument(
  handle: Handle,
  row: DocumentRow,
  options: PresentOptions,
): Promise<Record<string, unknown> & { _id: string }> {
  const { texts } = await presentDocuments(handle, [row], options)
  const text = texts[0] ?? 'null'
  return JSON.parse(handle.bytes ? bytes.decode(text) : text)
}
