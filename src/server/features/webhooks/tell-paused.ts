import type { Db, SpaceScope } from '#server/db/scope.ts'
import { findReachable } from '#server/features/members/members.service.ts'
import type { Services } from '#server/services.ts'
import type { ReadyWebhook } from './receivers.repository.ts'

/**
 * Mails the maker of a webhook that its receiver keeps failing, if they are still a member with a confirmed address. In
 * the transaction that notes the failure, so that it is neither lost nor sent twice.
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
