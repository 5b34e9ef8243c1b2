import { isBehind } from '#server/content/conversion.ts'
import { writeDerived } from '#server/content/derived.ts'
import { type Db, inTransaction, type ModelScope } from '#server/db/scope.ts'
import type { JobContext } from '#server/jobs/job.ts'
import { htmlToText } from '#shared/fields/html-text.ts'
import { typeOf } from '#shared/fields/index.ts'
import { allFields } from '#shared/fields/walk.ts'
import { listDocumentIds, listModelScopes, lockDocuments, readDocuments } from './conversion.repository.ts'
import { derivedModel, stateOf } from './models.conversion.ts'
import { addToCounts, findModelById } from './models.repository.ts'

/** Documents locked at once. */
const batchSize = 20

/**
 * Makes the search texts of all documents with HTML anew, after a change of `shared/fields/html-text.ts`. Texts that stay
 * the same are not written. May be interrupted and repeated.
 */
export async function renewTexts({ db, progress, at }: Pick<JobContext, 'db' | 'progress' | 'at'>) {
  let done = 0
  for (const scope of await listModelScopes(db)) {
    if (!(await hasHtml(db, scope))) continue
    for (let after: string | undefined = ''; after !== undefined; ) {
      const ids: string[] = await listDocumentIds(db, scope, after, batchSize)
      at(ids[0] ?? '')
      if (ids.length > 0) await renewBatch(db, scope, ids)
      done += ids.length
      await progress(done)
      after = ids.length < batchSize ? undefined : ids.at(-1)
    }
    // Lets delivery forget the answers of searches.
    await inTransaction(db, (tx) => addToCounts(tx, scope, { documents: 0, published: 0 }))
  }
}

async function hasHtml(db: Db, scope: ModelScope): Promise<boolean> {
  const model = await findModelById(db, scope)
  if (!model) return false
  const { fields } = await derivedModel(db, model)
  return allFields(fields).some((field) => typeOf(field).text === htmlToText)
}

/** Documents that still have to follow a change of their model are left out: their conversion makes their texts. */
async function renewBatch(db: Db, scope: ModelScope, ids: string[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    const model = await findModelById(tx, scope, 'share')
    if (!model) return
    await lockDocuments(tx, scope, ids)
    const documents = (await readDocuments(tx, scope, ids)).filter(({ shape }) => !isBehind(model, shape))
    await writeDerived(tx, scope, await derivedModel(tx, model), documents.map(stateOf))
  })
}
