import { type Converting, changesValues, convertingFields } from '#server/content/conversion.ts'
import { writeDerived } from '#server/content/derived.ts'
import { type Db, inTransaction, type ModelScope } from '#server/db/scope.ts'
import type { JobContext } from '#server/jobs/job.ts'
import { htmlToText } from '#shared/fields/html-text.ts'
import { typeOf } from '#shared/fields/index.ts'
import { allFields } from '#shared/fields/walk.ts'
import { batchSize, listSizes, nextBatchSize, takeBatch } from './behind.repository.ts'
import {
  listModelScopes,
  lockDocuments,
  readDocuments,
  type StoredDocument,
} from './conversion.repository.ts'
import { derivedModel, stateOf } from './models.conversion.ts'
import { addToCounts, findModelById } from './models.repository.ts'

/** Number of documents listed at a time. */
const pageSize = 100

/**
 * Recomputes the search texts of all documents in models with HTML fields, after a change of
 * `shared/fields/html-text.ts`. Documents whose texts a pending conversion will recompute are skipped. Texts that stay
 * the same are not written. May be interrupted and repeated. Returns the number of documents.
 */
export async function renewTexts({
  db,
  progress,
  at,
}: Pick<JobContext, 'db' | 'progress' | 'at'>): Promise<number> {
  let done = 0
  let atOnce = batchSize.least
  for (const scope of await listModelScopes(db)) {
    if (!(await hasHtml(db, scope))) continue
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: Awaited<ReturnType<typeof listSizes>> = await listSizes(db, scope, after, pageSize)
      after = page.length < pageSize ? undefined : page.at(-1)?.id
      while (page.length > 0) {
        const ids = takeBatch(page, atOnce)
        at(ids[0] ?? '')
        atOnce = nextBatchSize(atOnce, await renewBatch(db, scope, ids))
        done += ids.length
        await progress(done)
      }
    }
    // Invalidates cached delivery answers.
    await inTransaction(db, (tx) => addToCounts(tx, scope, { documents: 0, published: 0 }))
  }
  return done
}

async function hasHtml(db: Db, scope: ModelScope): Promise<boolean> {
  const model = await findModelById(db, scope)
  if (!model) return false
  const { fields } = await derivedModel(db, model)
  return allFields(fields).some((field) => typeOf(field).text === htmlToText)
}

/** Recomputes the texts of these documents. Returns for how many ms they were locked. */
async function renewBatch(db: Db, scope: ModelScope, ids: string[]): Promise<number> {
  let since = performance.now()
  await inTransaction(db, async (tx) => {
    const model = await findModelById(tx, scope, 'share')
    if (!model) return
    const derived = await derivedModel(tx, model)
    since = performance.now()
    await lockDocuments(tx, scope, ids)
    const documents = (await readDocuments(tx, scope, ids)).filter((document) => !willChange(model, document))
    await writeDerived(tx, scope, derived, documents.map(stateOf))
  })
  return performance.now() - since
}

/** Returns whether a pending conversion will change the document's values. The conversion also recomputes its texts. */
function willChange(model: Converting, { shape, draft, pub }: StoredDocument): boolean {
  return (
    changesValues(model, shape) &&
    [...convertingFields(model)].some((id) => draft?.[id] !== undefined || pub?.[id] !== undefined)
  )
}
