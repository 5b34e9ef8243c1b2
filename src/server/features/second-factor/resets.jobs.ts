import { z } from 'zod'
import { issueLink, linkMinutes } from '#server/access/account-links.ts'
import { countAttempt, mailToLimit } from '#server/access/attempts.ts'
import { writeAudit } from '#server/access/audit.ts'
import { requireRightIn } from '#server/access/membership.ts'
import { inTransaction } from '#server/db/scope.ts'
import { findAccount } from '#server/features/accounts/accounts.service.ts'
import { defineJob } from '#server/jobs/job.ts'
import { AppError } from '#shared/errors.ts'

/**
 * Mails the link to remove the second factor. It is a job because links of accounts cannot be created within a space.
 * Also writes to the installation's audit log.
 */
export const mailFactorResetJob = defineJob({
  name: 'secondFactor.mailReset',
  payload: z.object({ accountId: z.string(), asker: z.string(), space: z.string() }),
  requireMayRunAgain: async (ctx) => {
    await requireRightIn(ctx, null, 'member.manage')
  },
  handler: async ({ payload, db, services, actor }) => {
    const { accountId, asker, space } = payload
    const found = await findAccount(db, accountId)
    if (!found) return
    try {
      await countAttempt(db, [[mailToLimit(found.emailKey)]])
    } catch (error) {
      if (error instanceof AppError) return // the mailbox has received enough mails
      throw error
    }
    const { email, language, name } = found.account
    await inTransaction(db, async (tx) => {
      const link = { accountId, purpose: 'resetFactor' as const, email, emailKey: found.emailKey }
      const { link: url, expiresAt } = await issueLink(tx, services.config, link)
      const values = { name, who: asker, space, link: url, hours: linkMinutes.resetFactor / 60 }
      const mail = { to: email, language, template: 'secondFactorResetAsked', values, expiresAt } as const
      await services.mail.send(tx, mail)
      await writeAudit(tx, null, {
        act: 'account.askNewFactor',
        outcome: 'done',
        actor,
        object: { kind: 'account', id: accountId, name: name || email },
        details: { space },
      })
    })
  },
})
