import type { Db, SpaceScope } from '#server/db/scope.ts'
import { listReachable } from '#server/features/members/members.service.ts'
import type { JobFailure } from '#server/jobs/run-job.ts'
import { createHourLimit } from '#server/lib/event-limit.ts'
import type { Services } from '#server/services.ts'

/**
 * Limits mails to 3 per hour and space in each process, because the departure of one member can stop many jobs. All of
 * them are in the list of jobs.
 */
const limit = createHourLimit(3)

/** Maximum number of recipients of a mail. */
const maximumRecipients = 5

/**
 * Mails members who see all jobs of the space that a job failed because its requester left the space or lost the right.
 * Other failures send no mail. Runs in the transaction that records the failure, so that the mail is not lost.
 */
export async function mailFailure(
  db: Db,
  { config, mail }: Pick<Services, 'config' | 'mail'>,
  scope: SpaceScope,
  { code }: Pick<JobFailure, 'code'>,
): Promise<void> {
  if (code !== 'RequesterMayNot' || !limit.allows(String(scope.spaceId))) return
  for (const { email, language, space } of await listReachable(
    db,
    scope,
    ['space.update'],
    maximumRecipients,
  )) {
    const values = { space: space.name, link: `${config.url}/${space.uid}/-/jobs` }
    await mail.send(db, { to: email, language, template: 'requesterLeft', values }, { scope })
  }
}
