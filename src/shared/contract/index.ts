import { accessRequestEndpoints } from './access-requests.ts'
import { accountSecurityEndpoints } from './account-security.ts'
import { accountEndpoints } from './accounts.ts'
import { appExportEndpoints } from './app-exports.ts'
import { appEndpoints } from './apps.ts'
import { assetEndpoints } from './assets.ts'
import { auditLogEndpoints } from './audit-log.ts'
import { customTypeEndpoints } from './custom-types.ts'
import { documentEndpoints } from './documents.ts'
import { embedEndpoints } from './embed.ts'
import { externalStorageEndpoints } from './external-storage.ts'
import { formIntakeEndpoints } from './form-intake.ts'
import { formSubmissionEndpoints } from './form-submissions.ts'
import { formEndpoints } from './forms.ts'
import { groupRoleEndpoints } from './group-roles.ts'
import { imageSettingsEndpoints } from './image-settings.ts'
import { installationEndpoints } from './installation.ts'
import { invitationEndpoints } from './invitations.ts'
import { jobEndpoints } from './jobs.ts'
import { mapEndpoints } from './maps.ts'
import { memberEndpoints } from './members.ts'
import { modelCopyEndpoints } from './model-copies.ts'
import { modelEndpoints } from './models.ts'
import { moveImportEndpoints } from './move-imports.ts'
import { moveUpdateEndpoints } from './move-updates.ts'
import { moveEndpoints } from './moves.ts'
import { roleEndpoints } from './roles.ts'
import { scimEndpoints } from './scim.ts'
import { scimDirectoryEndpoints } from './scim-directory.ts'
import { secondFactorEndpoints } from './second-factor.ts'
import { securityEndpoints } from './security.ts'
import { siteRequestEndpoints } from './site-requests.ts'
import { spaceEndpoints } from './spaces.ts'
import { ssoEndpoints } from './sso.ts'
import { templateEndpoints } from './templates.ts'
import { tokenEndpoints } from './tokens.ts'
import { usageEndpoints } from './usage.ts'
import { viewEndpoints } from './views.ts'
import { webhookEndpoints } from './webhooks.ts'

/** Every endpoint of the management API and of SCIM by its operation name. */
export const endpoints = {
  ...accountEndpoints,
  ...accountSecurityEndpoints,
  ...secondFactorEndpoints,
  ...installationEndpoints,
  ...spaceEndpoints,
  ...memberEndpoints,
  ...roleEndpoints,
  ...invitationEndpoints,
  ...accessRequestEndpoints,
  ...appEndpoints,
  ...modelEndpoints,
  ...modelCopyEndpoints,
  ...moveEndpoints,
  ...moveUpdateEndpoints,
  ...moveImportEndpoints,
  ...appExportEndpoints,
  ...templateEndpoints,
  ...customTypeEndpoints,
  ...documentEndpoints,
  ...viewEndpoints,
  ...webhookEndpoints,
  ...formEndpoints,
  ...formSubmissionEndpoints,
  ...formIntakeEndpoints,
  ...tokenEndpoints,
  ...siteRequestEndpoints,
  ...usageEndpoints,
  ...scimEndpoints,
  ...scimDirectoryEndpoints,
  ...assetEndpoints,
  ...externalStorageEndpoints,
  ...jobEndpoints,
  ...imageSettingsEndpoints,
  ...embedEndpoints,
  ...mapEndpoints,
  ...securityEndpoints,
  ...groupRoleEndpoints,
  ...ssoEndpoints,
  ...auditLogEndpoints,
}

export type Endpoints = typeof endpoints
/** Every endpoint by route (`GET /api/project/{p}`), as types for the admin's client. */
export type EndpointByRoute = { [E in Endpoints[keyof Endpoints] as E['route']]: E }
