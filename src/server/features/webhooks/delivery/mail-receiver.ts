import type { Db, SpaceScope } from '#server/db/scope.ts'
import { findReachable } from '#server/features/members/members.service.ts'
import type { Services } from '#server/services.ts'
import type { ReadyWebhook } from './receivers.repository.ts'

type Mailed = Pick<ReadyWebhook, 'id' | 'name' | 'createdBy'>

/** Emails the creator of a webhook that its receiver keeps failing, like {@link mailDisabled}. */
export const mailPaused = (db: Db, services: MailServices, scope: SpaceScope, webhook: Mailed) =>
  mailCreator(db, services, scope, webhook, 'webhookPaused')

/**
 * Emails the creator of a webhook that it was disabled, because its receiver responded with 410. Only if the creator is
 * still a member with a confirmed email address. Runs in the transaction that disables the webhook, so that the mail is
 * neither lost nor sent twice.
 */
export const mailDisabled = (db: Db, services: MailServices, scope: SpaceScope, webhook: Mailed) =>
  mailCreator(db, services, scope, webhook, 'webhookDisabled')

type MailServices = Pick<Services, 'config' | 'mail'>

async function mailCreator(
  db: Db,
  { config, mail }: MailServices,
  scope: SpaceScope,
  { id, name, createdBy }: Mailed,
  template: 'webhookPaused' | 'webhookDisabled',
): Promise<void> {
  const creator = createdBy === null ? undefined : await findReachable(db, scope, createdBy)
  if (!creator) return
  const { email, language, space } = creator
  const link = `${config.url}/${space.uid}/-/webhooks/${id}`
  await mail.send(db, { to: email, language, template, values: { name, space: space.name, link } }, { scope })
}
