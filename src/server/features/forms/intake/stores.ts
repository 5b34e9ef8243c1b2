import { LRUCache } from 'lru-cache'
import type { ServerContext } from '#server/access/context.ts'
import { enter } from '#server/access/enter.ts'
import { isNotNow } from '#server/db/sql-states.ts'
import { batching } from '#server/lib/batching.ts'
import { createGate, type Gate } from '#server/lib/gate.ts'
import type { Services } from '#server/services.ts'
import { formIdPattern } from '#shared/contract/forms.ts'
import { AppError } from '#shared/errors.ts'
import { uidPattern } from '#shared/identifiers.ts'
import { insertAndMail } from './insert.ts'
import {
  createKnownFields,
  type FormKey,
  findForms,
  type IntakeForm,
  keyOf,
  type NewSubmission,
} from './intake.repository.ts'
import { visitorCaller } from './visitor-caller.ts'

/*
 * Reading forms and storing submissions for many visitors at a time (docs/decisions/0129). Simultaneous requests share
 * a statement or a transaction, because a commit costs as much as all other work for a submission.
 */

/** Limits of one transaction. */
const transactionLimits = { submissions: 200, textLength: 4_000_000 }
/** Maximum number of transactions of all spaces at a time. A space has only one, so that other spaces get theirs. */
const maxTransactions = 4

interface Store {
  findForm(key: FormKey): Promise<Map<string, IntakeForm>>
  gate: Gate
  /** Queues of spaces by the id of the space. A queue that is evicted still stores its submissions. */
  writers: LRUCache<number, (submission: QueuedSubmission) => Promise<Map<string, unknown>>>
}

interface QueuedSubmission extends NewSubmission {
  form: IntakeForm
}

/** The state of each process's services. */
const stores = new WeakMap<Services, Store>()

function storeOf({ db, services }: ServerContext): Store {
  let store = stores.get(services)
  if (!store) {
    const known = createKnownFields()
    store = {
      findForm: batching((keys) => findForms(db, keys, known), 2),
      gate: createGate({
        active: maxTransactions,
        waiting: 10_000,
        refusal: () => new AppError('ServiceUnavailable', { headers: { 'retry-after': '1' } }),
      }),
      writers: new LRUCache({ max: 1_000 }),
    }
    stores.set(services, store)
  }
  return store
}

/** Returns a form that is not in the trash. null: there is none. */
export async function findForm(server: ServerContext, { space, form }: FormKey): Promise<IntakeForm | null> {
  if (!uidPattern.test(space) || !formIdPattern.test(form)) return null
  const key = { space: space.toLowerCase(), form }
  return (await storeOf(server).findForm(key)).get(keyOf(key)) ?? null
}

/**
 * Stores a submission without files durably. Throws 404 if the form was deleted or switched off in the meantime, and
 * the errors of PostgreSQL.
 */
export async function storeSubmission(
  server: ServerContext,
  form: IntakeForm,
  submission: NewSubmission,
): Promise<void> {
  const store = storeOf(server)
  const { spaceId } = form.scope
  let write = store.writers.get(spaceId)
  if (!write) {
    write = batching((all) => store.gate.run({ line: spaceId }, () => storeAll(server, all)), 1)
    store.writers.set(spaceId, write)
  }
  const refusals = await write({ ...submission, form })
  if (refusals.has(submission.id)) throw refusals.get(submission.id)
}

/** Stores submissions of one space. Returns the error of each one that could not be stored, by id. */
async function storeAll(server: ServerContext, all: QueuedSubmission[]): Promise<Map<string, unknown>> {
  const refusals = new Map<string, unknown>()
  for (const batch of batchesOf(all)) {
    try {
      await storeBatch(server, batch, refusals)
    } catch (error) {
      // One submission that PostgreSQL refuses must not fail the others.
      const isShared = batch.length === 1 || isNotNow(error) || error instanceof AppError
      for (const one of batch)
        if (isShared) refusals.set(one.id, error)
        else
          await storeBatch(server, [one], refusals).catch((reason: unknown) => refusals.set(one.id, reason))
    }
  }
  return refusals
}

async function storeBatch(
  server: ServerContext,
  batch: QueuedSubmission[],
  refusals: Map<string, unknown>,
): Promise<void> {
  const [first] = batch
  if (!first) return
  const { scope, name } = first.form
  const stored = await enter(server, visitorCaller(name, null), { scope }, null, (ctx) =>
    insertAndMail(ctx, batch),
  )
  for (const { id } of batch) if (!stored.has(id)) refusals.set(id, new AppError('NotFound'))
}

/** Divides submissions into batches within the limits of a transaction. */
function* batchesOf(all: QueuedSubmission[]): Generator<QueuedSubmission[]> {
  let batch: QueuedSubmission[] = []
  let length = 0
  for (const one of all) {
    const isFull =
      batch.length >= transactionLimits.submissions ||
      length + one.values.length > transactionLimits.textLength
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(one)
    length += one.values.length
  }
  if (batch.length > 0) yield batch
}
