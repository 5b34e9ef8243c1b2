import type { Db, SpaceScope } from '#server/db/scope.ts'
import { isConnectionLost, isNotNow } from '#server/db/sql-states.ts'
import type { Services } from '#server/services.ts'
import type { BodyWriter } from '../body/bodies.ts'
import { BodyTooLarge } from '../body/body-template.ts'
import { findBodies, keepBodies, type NewBody } from './bodies.repository.ts'
import type { Result, WaitingMessage } from './messages.repository.ts'
import type { ReadyWebhook } from './receivers.repository.ts'

/** Maximum number of characters of the bodies of one wave, because all of them are in memory. */
const mostCharacters = 8_000_000
/** Number of bodies that are created concurrently. */
const createdAtOnce = 4

interface Around {
  ctx: { db: Db; services: Pick<Services, 'log'> }
  scope: SpaceScope
  writer: BodyWriter
}

/**
 * Returns the bodies of messages. Each body is stored and used for all attempts. `unwritten`: messages whose body could
 * not be created; they do not delay other messages. Messages after `mostCharacters`, and messages that received another
 * event in the meantime, are in neither result and are sent later.
 */
export async function bodiesOf(
  { ctx: { db, services }, scope, writer }: Around,
  webhook: ReadyWebhook,
  messages: WaitingMessage[],
): Promise<{ bodies: Map<string, string>; unwritten: { message: WaitingMessage; result: Result }[] }> {
  const created: NewBody[] = []
  const stored: string[] = []
  const unwritten: { message: WaitingMessage; result: Result }[] = []
  let characters = 0
  async function create(message: WaitingMessage): Promise<void> {
    const { id, events, bodyLength } = message
    if (bodyLength !== null) {
      characters += bodyLength
      stored.push(id)
      return
    }
    try {
      const body = await writer.bodyOf(webhook, message)
      characters += body.length
      created.push({ id, body, events: events.length })
    } catch (err) {
      // The body can be created as soon as the database works again.
      if (isConnectionLost(err) || isNotNow(err)) throw err
      const isTooLarge = err instanceof BodyTooLarge
      if (!isTooLarge)
        services.log.error(
          { err, webhook: webhook.id, message: id },
          'The body of a webhook could not be created',
        )
      unwritten.push({ message, result: notWritten(isTooLarge ? tooLarge : '') })
    }
  }
  for (let at = 0; at < messages.length && characters <= mostCharacters; at += createdAtOnce)
    await Promise.all(messages.slice(at, at + createdAtOnce).map(create))
  const bodies = await findBodies(db, scope, stored)
  const kept = await keepBodies(db, scope, created)
  for (const { id, body } of created) if (kept.has(id)) bodies.set(id, body)
  return { bodies, unwritten }
}

/** The detail of a body that cannot be created, because a custom body became too large. */
const tooLarge = 'TooLarge'

/** Checks whether no retry can succeed, because the custom body is too large. */
export const isTooLarge = ({ reason, detail }: Result): boolean =>
  reason === 'template' && detail === tooLarge

const notWritten = (detail: string): Result => ({
  at: new Date(),
  took: 0,
  status: null,
  reason: 'template',
  detail,
  headers: [],
  answer: null,
  retryAfter: null,
})
