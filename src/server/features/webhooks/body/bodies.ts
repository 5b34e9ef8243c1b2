import { LRUCache } from 'lru-cache'
import type { ContentModel, ContentSpace } from '#server/content/model.ts'
import { AnswerTooLarge, type DocumentRow, fromKysely, selectDocument, toRows } from '#server/content/read.ts'
import { loadSpace } from '#server/content/registry.ts'
import type { Db, SpaceScope } from '#server/db/scope.ts'
import { presentForSites } from '#server/features/documents/documents.service.ts'
import type { Services } from '#server/services.ts'
import { assetAddress } from '#shared/asset-address.ts'
import { AppError } from '#shared/errors.ts'
import { fitValues } from '#shared/fields/convert.ts'
import type { StoredValues } from '#shared/fields/document.ts'
import type { EventReference } from '../delivery/messages.repository.ts'
import type { ReadyWebhook } from '../delivery/receivers.repository.ts'
import { fillTemplate, readTemplate } from './body-template.ts'
import * as sources from './sources.repository.ts'
import { summaryOf } from './summary.ts'

interface Around {
  db: Db
  services: Services
  scope: SpaceScope
}

/** Data that several events share. */
interface Known {
  space: ContentSpace | undefined
  /** Revisions without values, by `revisionKey`. */
  revisions: ReadonlyMap<string, sources.RevisionRow>
  nameOf(accountId: string): Promise<string | null>
}

type Shown = Pick<ReadyWebhook, 'body' | 'headers' | 'includesBefore' | 'includesAfter'>

/** The parts of an event's document that a body contains. */
interface Needs {
  before: boolean
  after: boolean
  /** The document's `_sys` with its times, without its values. */
  sys: boolean
  title: boolean
}

type Shape = Record<string, unknown> | null

/** The data of one event. Placeholders use the same names, but cannot refer to `sys` and `documentId`. */
interface EventData {
  event: string
  timestamp: string
  space: { uid: string }
  app: { uid: string; name: string } | null
  model: { uid: string } | null
  actor: { kind: string; name: string | null } | null
  /** Value of the model's title field at the event. For a deletion: the value before it. */
  title: string | null
  document: Shape
  before: Shape
  sys: unknown
  asset: { _id: string; fileName: string; src: string } | null
  documentId: string | null
}

/** Number of events of one message that are read concurrently. */
const readsAtOnce = 8
/** Time in ms for which apps, models and event data of the space are cached. */
const spaceLife = 1000
/**
 * Maximum number of cached events, and of characters in their documents. Events are cached because several webhooks
 * report the same event.
 */
const mostCachedEvents = 600
const mostCachedCharacters = 16_000_000
/**
 * Maximum number of characters of all documents in one body. The document that exceeds it and all later ones are null.
 */
const mostCharacters = 4_000_000

export interface BodyWriter {
  /**
   * Returns the body of a message. Documents have their state at the time of the event, even if they changed later. For
   * an event without a version, documents have their current state. Contents that documents refer to are read when the
   * body is created. Deleted apps, models and revisions are null.
   */
  bodyOf(
    webhook: Shown,
    message: { event: string; events: EventReference[]; isBatch: boolean },
  ): Promise<string>
}

/** Creates the writer for bodies of one space. It caches data that several bodies need. */
export function createBodyWriter(around: Around): BodyWriter {
  let loaded: { space: Promise<ContentSpace | undefined>; at: number } | undefined
  const names = new LRUCache<string, Promise<string | null>>({ max: mostCachedEvents, ttl: spaceLife })
  const cached = new LRUCache<string, Promise<EventData>>({
    max: mostCachedEvents,
    maxSize: mostCachedCharacters,
    ttl: spaceLife,
  })

  function space(): Promise<ContentSpace | undefined> {
    if (!loaded || performance.now() - loaded.at > spaceLife)
      loaded = { space: loadSpace(fromKysely(around.db), around.scope.spaceId), at: performance.now() }
    return loaded.space
  }

  function nameOf(accountId: string): Promise<string | null> {
    const name = names.get(accountId) ?? sources.findName(around.db, accountId)
    names.set(accountId, name)
    return name
  }

  const read = async (event: EventReference, needs: Needs, revisions: Known['revisions']) =>
    readData(around, { space: await space(), revisions, nameOf }, event, needs)

  async function dataOf(
    event: EventReference,
    needs: Needs,
    revisions: Known['revisions'],
  ): Promise<EventData> {
    if (event.position === null) return read(event, needs, revisions)
    const key = JSON.stringify([event.position, needs])
    const found = cached.get(key)
    if (found) return found
    const made = read(event, needs, revisions)
    cached.set(key, made, { size: 1 })
    // The size is known only after the event's document was read.
    const size = sizeOf(await made)
    if (cached.peek(key) === made) cached.set(key, made, { size })
    return made
  }

  return {
    async bodyOf(webhook, message) {
      const template = webhook.body === null ? null : readTemplate(webhook.body)
      // Saved templates are valid. If a later version of Imori rejects one, the default body is sent.
      const own = template && 'placeholders' in template ? template : null
      const names = new Set(own?.placeholders.map(({ path }) => path[0]))
      const needs = own
        ? {
            before: names.has('before'),
            after: names.has('document'),
            sys: false,
            title: names.has('title') || names.has('summary'),
          }
        : { before: webhook.includesBefore, after: webhook.includesAfter, sys: true, title: false }
      const all: EventData[] = []
      let size = 0
      // A custom body is filled in from the last event only.
      const events = own ? message.events.slice(-1) : message.events
      const revisions = await revisionsOf(around, events, needs)
      for (let at = 0; at < events.length; at += readsAtOnce)
        for (const one of await Promise.all(
          events.slice(at, at + readsAtOnce).map((event) => dataOf(event, needs, revisions)),
        )) {
          size += sizeOf(one)
          all.push(size > mostCharacters ? { ...one, document: null, before: null } : one)
        }
      if (!own) return defaultBody(all, webhook, message.isBatch)
      const values = { ...all[0], ...derived(all[0], message.events.length) }
      const filled = fillTemplate(own, values, message.event === 'test' ? 'test' : '')
      return isForm(webhook.headers) ? formOf(filled) : filled
    },
  }
}

const sizeOf = ({ document, before }: EventData) => JSON.stringify([document, before]).length

/** Returns the values of placeholders that are derived from the last event of a request with `count` events. */
function derived(last: EventData | undefined, count: number) {
  const { event = 'test', title = null, app, asset, documentId = null } = last ?? {}
  const facts = { title: asset?.fileName ?? title, app: app?.name ?? null, count }
  return {
    count,
    _id: documentId ?? asset?._id ?? null,
    summary: { ja: summaryOf('ja', event, facts), en: summaryOf('en', event, facts) },
  }
}

const formType = 'application/x-www-form-urlencoded'

/** Checks whether the headers require a form instead of JSON. */
export const isForm = (headers: ReadyWebhook['headers']) =>
  headers.some(
    ({ name, value }) => name.toLowerCase() === 'content-type' && value?.toLowerCase().startsWith(formType),
  )

/** Converts the properties of a JSON object to form fields. Strings stay as they are; other values become JSON. */
function formOf(json: string): string {
  const fields = Object.entries(JSON.parse(json) ?? {})
  return new URLSearchParams(
    fields.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  ).toString()
}

function defaultBody(
  events: EventData[],
  { includesBefore, includesAfter }: Pick<Shown, 'includesBefore' | 'includesAfter'>,
  isBatch: boolean,
): string {
  const shown = events.map(({ document, before, sys, title: _, documentId, actor, asset, ...rest }) => ({
    ...rest,
    ...(actor ? { actor } : {}),
    ...(documentId ? { _id: documentId, _sys: sys } : {}),
    ...(asset ? { asset } : {}),
    ...(includesBefore && documentId ? { before } : {}),
    ...(includesAfter && documentId ? { document } : {}),
  }))
  return JSON.stringify(isBatch ? { event: 'events', count: shown.length, events: shown } : shown[0])
}

/**
 * Returns the revisions of many events in one query, if bodies contain only their times. Otherwise returns none, so
 * that the values of all documents are not in memory at the same time.
 */
async function revisionsOf(
  { db, scope }: Around,
  events: readonly EventReference[],
  { before, after, sys, title }: Needs,
): Promise<Known['revisions']> {
  if (events.length < 2 || before || after || title || !sys) return new Map()
  const wanted = events.flatMap(({ modelId, documentId, version }) =>
    modelId !== null && documentId !== null && version !== null ? [{ modelId, documentId, version }] : [],
  )
  return sources.findSysOfRevisions(db, scope, wanted)
}

async function readData(
  around: Around,
  known: Known,
  event: EventReference,
  needs: Needs,
): Promise<EventData> {
  const { db, scope, services } = around
  const { space } = known
  const app = [...(space?.apps.values() ?? [])].find(({ id }) => id === event.appId)
  const model = [...(app?.models.values() ?? [])].find(({ id }) => id === event.modelId)
  const isShown = model && event.documentId !== null && Object.values(needs).includes(true)
  const states = isShown ? await statesOf(around, known, model, event, needs) : noStates
  const asset = event.assetId === null ? undefined : await sources.findAsset(db, scope, event.assetId)
  return {
    event: event.event,
    timestamp: event.at,
    space: { uid: space?.uid ?? '' },
    app: app ? { uid: app.uid, name: app.name } : null,
    model: model ? { uid: model.uid } : null,
    actor: await actorOf(known, event),
    ...states,
    asset: asset
      ? {
          _id: asset.id,
          fileName: asset.fileName,
          src: assetAddress(services.config, space?.uid ?? '', asset.id, asset.fileName),
        }
      : null,
    documentId: event.documentId,
  }
}

/** Returns who caused an event. null: the event is an example. */
async function actorOf({ nameOf }: Known, { actorKind = 'account', actorId, actorName }: EventReference) {
  // A job that a user started is shown with the name of that user.
  const name = actorId === null ? (actorName ?? null) : await nameOf(actorId)
  return actorId === null && name === null ? null : { kind: actorKind, name }
}

const noStates = { document: null, before: null, sys: null, title: null }

/** Events that change the published content. The state before such an event is the previously published one. */
const ofSites = new Set(['document.published', 'document.unpublished', 'document.deletedPublished'])

async function statesOf(
  around: Around,
  { revisions }: Known,
  model: ContentModel,
  event: EventReference,
  needs: Needs,
) {
  const id = event.documentId ?? ''
  const isDeleted = event.event.startsWith('document.deleted')
  const isShown = isDeleted ? needs.before : needs.after
  const isWhole = isShown || needs.title
  const former = {
    before: event.version ?? 0,
    ...(ofSites.has(event.event) ? { kind: 'publish' as const } : {}),
  }
  /**
   * The state at the event, or the current one if the event has no version. For a deleted document: the state before
   * the event.
   */
  const state =
    event.version === null
      ? await present(around, model, await selectCurrent(around, model, id), 'current', isWhole)
      : await revision(around, model, id, isDeleted ? former : { version: event.version }, isWhole, revisions)
  const shown = isShown ? state : null
  const before =
    needs.before && !isDeleted && event.version !== null
      ? await revision(around, model, id, former, true)
      : null
  return {
    document: isDeleted ? null : shown,
    before: isDeleted ? shown : before,
    sys: state?._sys ?? null,
    title: titleOf(model, state),
  }
}

const selectCurrent = ({ db }: Around, model: ContentModel, id: string) =>
  selectDocument(fromKysely(db), { model, stage: 'current', id })

function titleOf(model: ContentModel, document: Shape): string | null {
  const field = model.fields.find(({ _id }) => _id === model.titleField)
  const value = field && document?.[field.uid]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** Loads a revision. `whole`: with its values. Otherwise only with `_id` and `_sys`. */
async function revision(
  around: Around,
  model: ContentModel,
  id: string,
  which: sources.WhichRevision,
  whole: boolean,
  revisions?: Known['revisions'],
): Promise<Shape> {
  const known =
    'version' in which && !whole ? revisions?.get(sources.revisionKey(id, which.version)) : undefined
  const found = known ?? (await sources.findRevision(around.db, around.scope, model.id, id, which, whole))
  if (!found) return null
  const json = found.values
    ? await sources.printedJson(around.db, fitValues(model.fields, found.values as StoredValues))
    : '{}'
  const raw = { ...found, json, shape: Number.MAX_SAFE_INTEGER }
  const [row] = await toRows(fromKysely(around.db), { ...model, conversions: [] }, [raw])
  return present(around, model, row, found.kind === 'publish' ? 'published' : 'current', whole)
}

async function present(
  around: Around,
  model: ContentModel,
  row: DocumentRow | undefined,
  stage: 'published' | 'current',
  whole: boolean,
): Promise<Shape> {
  if (!row) return null
  for (const query of whole ? ['depth=1', 'depth=0'] : ['depth=0&select=_sys'])
    try {
      return await presentForSites(around, row, { model, stage, query })
    } catch (error) {
      // A document with too many or too large references is sent without the referenced contents. A document that is
      // too large even then is sent as null.
      const refersToTooMuch = error instanceof AppError && error.status === 400 && query === 'depth=1'
      if (!(error instanceof AnswerTooLarge) && !refersToTooMuch) throw error
    }
  return null
}
