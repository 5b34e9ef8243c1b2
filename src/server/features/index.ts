import type { HttpOperation } from '#server/http/http-operation.ts'
import type { EventConsumer } from '#server/jobs/event-consumer.ts'
import type { CronJob, Job } from '#server/jobs/job.ts'
import { cleanUpMailsJob, sendBulkMailJob, sendMailJob } from '#server/mailing/send-mail.ts'
import { accessRequestRoutes } from './access-requests/access-requests.routes.ts'
import { forgotPasswordJob } from './account-security/account-security.jobs.ts'
import { accountSecurityRoutes } from './account-security/account-security.routes.ts'
import { cleanUpAccountsJob } from './accounts/accounts.jobs.ts'
import { accountRoutes } from './accounts/accounts.routes.ts'
import { mailSignupJob } from './accounts/sign-up.jobs.ts'
import { cleanUpExportsJob, writeExportJob } from './app-exports/app-exports.jobs.ts'
import { appExportRoutes } from './app-exports/app-exports.routes.ts'
import { appRoutes } from './apps/apps.routes.ts'
import { cleanUpAssetsJob } from './assets/assets.jobs.ts'
import { assetRoutes } from './assets/assets.routes.ts'
import { moveFilesJob } from './assets/moving.service.ts'
import { purgeAuditLogJob, sealAuditLogJob } from './audit-log/audit-log.jobs.ts'
import { auditLogRoutes } from './audit-log/audit-log.routes.ts'
import { customTypeRoutes } from './custom-types/custom-types.routes.ts'
import { purgeTrashJob } from './documents/documents.jobs.ts'
import { documentRoutes } from './documents/documents.routes.ts'
import { embedRoutes } from './embed/embed.routes.ts'
import { cleanUpExternalStoragesJob } from './external-storage/external-storage.jobs.ts'
import { externalStorageRoutes } from './external-storage/external-storage.routes.ts'
import { makeFieldIndexesJob } from './field-indexes/field-indexes.jobs.ts'
import { formIntakeRoutes } from './forms/form-intake.routes.ts'
import { formRoutes, formSubmissionRoutes } from './forms/forms.routes.ts'
import { purgeFormsJob } from './forms/inbox/purge.jobs.ts'
import { mailSubmissionsJob } from './forms/mail/form-mails.jobs.ts'
import { groupRoleRoutes } from './group-roles/group-roles.routes.ts'
import { imageSettingsRoutes } from './image-settings/image-settings.routes.ts'
import { installationRoutes } from './installation/installation.routes.ts'
import { invitationRoutes } from './invitations/invitations.routes.ts'
import { cleanUpJob } from './jobs/jobs.jobs.ts'
import { jobRoutes } from './jobs/jobs.routes.ts'
import { mapRoutes } from './maps/maps.routes.ts'
import { memberRoutes } from './members/members.routes.ts'
import { modelCopyRoutes } from './model-copies/model-copies.routes.ts'
import { convertModelJob, purgeKeptJob, renewTextsJob } from './models/models.jobs.ts'
import { modelRoutes } from './models/models.routes.ts'
import { checkMoveJob, cleanUpMovesJob, importMoveJob, undoMoveJob } from './moves/moves.jobs.ts'
import { moveImportRoutes, moveRoutes, moveUpdateRoutes } from './moves/moves.routes.ts'
import { roleRoutes } from './roles/roles.routes.ts'
import { scimRoutes } from './scim/scim.routes.ts'
import { scimDirectoryRoutes, scimFallbacks } from './scim/scim-directory.routes.ts'
import { mailFactorResetJob } from './second-factor/resets.jobs.ts'
import { secondFactorRoutes } from './second-factor/second-factor.routes.ts'
import { revertRangesJob } from './security/security.jobs.ts'
import { securityRoutes } from './security/security.routes.ts'
import { siteRequestRoutes } from './site-requests/site-requests.routes.ts'
import { purgeDeletedJob } from './spaces/spaces.jobs.ts'
import { spaceRoutes } from './spaces/spaces.routes.ts'
import { cleanUpSsoJob } from './sso/sso.jobs.ts'
import { ssoRoutes } from './sso/sso.routes.ts'
import { cleanUpTemplatesJob, fillAppJob, saveTemplateJob } from './templates/templates.jobs.ts'
import { templateRoutes } from './templates/templates.routes.ts'
import { tokenRoutes } from './tokens/tokens.routes.ts'
import { usageConsumer } from './usage/usage.consumer.ts'
import { cleanUpUsageJob } from './usage/usage.jobs.ts'
import { usageRoutes } from './usage/usage.routes.ts'
import { viewRoutes } from './views/views.routes.ts'
import { webhookConsumer } from './webhooks/webhooks.consumer.ts'
import { cleanUpWebhooksJob, deliverWebhooksJob } from './webhooks/webhooks.jobs.ts'
import { webhookRoutes } from './webhooks/webhooks.routes.ts'

/** Background jobs of the features and of mailing. */
export const jobs: Job[] = [
  cleanUpAccountsJob,
  purgeTrashJob,
  purgeDeletedJob,
  cleanUpJob,
  convertModelJob,
  purgeKeptJob,
  renewTextsJob,
  cleanUpAssetsJob,
  moveFilesJob,
  cleanUpExternalStoragesJob,
  makeFieldIndexesJob,
  sealAuditLogJob,
  purgeAuditLogJob,
  forgotPasswordJob,
  mailSignupJob,
  revertRangesJob,
  mailFactorResetJob,
  cleanUpSsoJob,
  sendMailJob,
  sendBulkMailJob,
  cleanUpMailsJob,
  checkMoveJob,
  importMoveJob,
  undoMoveJob,
  cleanUpMovesJob,
  writeExportJob,
  cleanUpExportsJob,
  fillAppJob,
  saveTemplateJob,
  cleanUpTemplatesJob,
  deliverWebhooksJob,
  cleanUpWebhooksJob,
  cleanUpUsageJob,
  mailSubmissionsJob,
  purgeFormsJob,
]

/** The operations of all features. */
export const operations: HttpOperation[] = [
  ...accountRoutes,
  ...accountSecurityRoutes,
  ...secondFactorRoutes,
  ...installationRoutes,
  ...spaceRoutes,
  ...memberRoutes,
  ...roleRoutes,
  ...invitationRoutes,
  ...accessRequestRoutes,
  ...appRoutes,
  ...modelRoutes,
  ...modelCopyRoutes,
  ...customTypeRoutes,
  ...documentRoutes,
  ...viewRoutes,
  ...formIntakeRoutes,
  ...tokenRoutes,
  ...webhookRoutes,
  ...formRoutes,
  ...formSubmissionRoutes,
  ...siteRequestRoutes,
  ...usageRoutes,
  ...scimRoutes,
  ...scimDirectoryRoutes,
  ...assetRoutes,
  ...externalStorageRoutes,
  ...jobRoutes(jobs),
  ...imageSettingsRoutes,
  ...embedRoutes,
  ...mapRoutes,
  ...securityRoutes,
  ...groupRoleRoutes,
  ...ssoRoutes,
  ...auditLogRoutes,
  ...moveRoutes,
  ...moveUpdateRoutes,
  ...moveImportRoutes,
  ...appExportRoutes,
  ...templateRoutes,
]

/** The cron jobs. Daily ones run at staggered times between 18:00 and 19:05 UTC, which is night in Japan. */
export const cronJobs: CronJob[] = [
  { job: cleanUpAccountsJob, payload: {}, at: '0 18 * * *' },
  { job: purgeTrashJob, payload: {}, at: '10 18 * * *' },
  { job: cleanUpJob, payload: {}, at: '20 18 * * *' },
  { job: purgeDeletedJob, payload: {}, at: '30 18 * * *' },
  { job: purgeKeptJob, payload: {}, at: '15 18 * * *' },
  { job: cleanUpAssetsJob, payload: {}, at: '40 18 * * *' },
  { job: cleanUpExternalStoragesJob, payload: {}, at: '50 18 * * *' },
  { job: sealAuditLogJob, payload: {}, at: '*/5 * * * *' },
  { job: purgeAuditLogJob, payload: {}, at: '5 19 * * *' },
  { job: cleanUpSsoJob, payload: {}, at: '25 * * * *' },
  { job: cleanUpMailsJob, payload: {}, at: '55 18 * * *' },
  { job: cleanUpMovesJob, payload: {}, at: '35 18 * * *' },
  { job: cleanUpExportsJob, payload: {}, at: '45 * * * *' },
  { job: cleanUpTemplatesJob, payload: {}, at: '0 19 * * *' },
  { job: cleanUpWebhooksJob, payload: {}, at: '*/10 * * * *' },
  { job: cleanUpUsageJob, payload: {}, at: '25 18 * * *' },
  { job: purgeFormsJob, payload: {}, at: '5 18 * * *' },
]

/** Event consumers of the outbox. */
export const eventConsumers: EventConsumer[] = [webhookConsumer, usageConsumer]

/** Responses to requests of a protocol that no endpoint of the contract answers. */
export const fallbacks: HttpOperation[] = scimFallbacks
