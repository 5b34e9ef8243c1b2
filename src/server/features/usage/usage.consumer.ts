import type { EventConsumer, OutboxEvent } from '#server/jobs/event-consumer.ts'
import { type EventPayload, type EventType, eventSchemas } from '#shared/events.ts'
import { addChanges, type UsageChange } from './usage.repository.ts'

type Change = Partial<Omit<UsageChange, 'spaceId' | 'day'>>

/**
 * The changes that each event reports. Moves to the trash and restorations change nothing, because documents and assets
 * count until they are deleted permanently.
 */
const changeOf: { [T in EventType]?: (payload: EventPayload<T>) => Change } = {
  'document.created': () => ({ documentsCreated: 1 }),
  'documents.imported': ({ documents }) => ({ documentsCreated: documents.length }),
  'documents.purged': ({ ids }) => ({ documentsDeleted: ids.length }),
  'asset.created': ({ size }) => ({ assetsCreated: 1, bytesAdded: size }),
  'asset.imported': ({ size }) => ({ assetsCreated: 1, bytesAdded: size }),
  'asset.replaced': ({ size, previousSize }) => ({ bytesAdded: size, bytesRemoved: previousSize }),
  'assets.purged': ({ ids, size }) => ({ assetsDeleted: ids.length, bytesRemoved: size }),
}

/** Counts documents and assets per space and day. Atomic, so that each event counts once. */
export const usageConsumer: EventConsumer = {
  name: 'usage',
  types: Object.keys(changeOf) as EventType[],
  atomic: true,
  async handle(events, { db, services }) {
    const changes = new Map<string, UsageChange>()
    for (const event of events) {
      const { spaceId, position, type } = event
      const change = changeBy(event)
      if (!change) {
        services.log.warn({ position, type }, 'An event of an older version of Imori is not counted')
        continue
      }
      const day = event.createdAt.toISOString().slice(0, 10)
      const key = `${spaceId} ${day}`
      const sum = changes.get(key) ?? { ...nothing, spaceId, day }
      changes.set(key, sum)
      for (const [name, count] of Object.entries(change)) sum[name as keyof Change] += count
    }
    await addChanges(db, [...changes.values()])
  },
}

/** Returns null for an event with a former payload. */
function changeBy({ type, payload }: OutboxEvent): Change | null {
  if (!eventSchemas[type].safeParse(payload).success) return null
  const find = changeOf[type] as ((payload: OutboxEvent['payload']) => Change) | undefined
  return find?.(payload) ?? {}
}

const nothing: Required<Change> = {
  documentsCreated: 0,
  documentsDeleted: 0,
  assetsCreated: 0,
  assetsDeleted: 0,
  bytesAdded: 0,
  bytesRemoved: 0,
}
