import type { Db, SpaceScope } from '#server/db/scope.ts'
import { findReachable } from '#server/features/members/members.service.ts'
import type { Services } from '#server/services.ts'
import type { ReadyWebhook } from './receivers.repository.ts'

/**
 * Emails the creator of a webhook that its receiver keeps failing, if the creator is still a member with a confirmed
 * email address. Runs in the transaction that records the failure, so that the mail is neither lost nor sent twice.
 */
export async function tellPaused(
  db: Db,
  { config, mail }: Pick<Services, 'config' | 'mail'>,
  scope: SpaceScope,
  { id, name, createdBy }: Pick<ReadyWebhook, 'id' | 'name' | 'createdBy'>,
): Promise<void> {
  const maker = createdBy === null ? undefined : await findReachable(db, scope, createdBy)
  if (!maker) return
  const { email, language, space } = maker
  const link = `${config.url}/${space.uid}/-/webhooks/${id}`
  const values = { name, space: space.name, link }
  await mail.send(db, { to: email, language, template: 'webhookPaused', values }, { scope })
}
