import { createRouter } from '@tanstack/react-router'
import { accessRequestsRoutes } from './features/access-requests/access-requests.routes.ts'
import { accountSecurityRoutes, mailLinkRoutes } from './features/account-security/account-security.routes.ts'
import { finishSignUpRoute, guestRoutes, ownAccountRoutes } from './features/accounts/accounts.routes.tsx'
import { appExportsRoutes, spaceExportsRoutes } from './features/app-exports/app-exports.routes.ts'
import { appPagesRoutes, appSettingsPagesRoutes, spaceAppsRoutes } from './features/apps/apps.routes.tsx'
import { assetRoutes } from './features/assets/assets.routes.tsx'
import { auditLogRoutes, installationAuditLogRoutes } from './features/audit-log/audit-log.routes.ts'
import { documentRoutes } from './features/documents/documents.routes.tsx'
import { externalStorageRoutes } from './features/external-storage/external-storage.routes.ts'
import { formsRoutes } from './features/forms/forms.routes.ts'
import { groupRolesRoutes } from './features/group-roles/group-roles.routes.ts'
import { imageSettingsRoutes } from './features/image-settings/image-settings.routes.ts'
import { installationRoutes } from './features/installation/installation.routes.ts'
import {
  appInvitationsRoutes,
  invitationRoutes,
  spaceInvitationsRoutes,
} from './features/invitations/invitations.routes.ts'
import { jobsRoutes, spaceJobsRoutes } from './features/jobs/jobs.routes.tsx'
import { appMembersRoutes, membersRoutes } from './features/members/members.routes.tsx'
import { appModelCopiesRoutes, modelCopiesRoutes } from './features/model-copies/model-copies.routes.tsx'
import { appModelsRoutes, modelEditorRoutes } from './features/models/models.routes.tsx'
import { appMovesRoutes, movesRoutes } from './features/moves/moves.routes.ts'
import { appRolesRoutes, rolesRoutes } from './features/roles/roles.routes.ts'
import { scimRoutes } from './features/scim/scim.routes.ts'
import {
  factorResetRoutes,
  secondFactorRoutes,
  secondStepRoutes,
} from './features/second-factor/second-factor.routes.ts'
import { securityRoutes } from './features/security/security.routes.ts'
import { NotFound } from './features/shell/not-found.tsx'
import { RouteError, RoutePending } from './features/shell/route-states.tsx'
import {
  appOverviewRoute,
  appSettingsRoute,
  installationOverviewRoute,
  installationSettingsRoute,
  spaceOverviewRoute,
  spaceSettingsRoute,
  unknownAppPageRoute,
  unknownInstallationPageRoute,
  unknownModelPageRoute,
  unknownSpacePageRoute,
} from './features/shell/settings/settings.routes.tsx'
import {
  accountRoute,
  appRoute,
  guestRoute,
  modelRoute,
  rootRoute,
  shellRoutes,
  signedInShellRoutes,
  spaceRoute,
} from './features/shell/shell.routes.tsx'
import { spaceSettingsRoutes, spacesRoutes } from './features/spaces/spaces.routes.tsx'
import { ssoRoutes, ssoSignInRoutes } from './features/sso/sso.routes.ts'
import { tokensRoutes } from './features/tokens/tokens.routes.tsx'
import { webhooksRoutes } from './features/webhooks/webhooks.routes.ts'
import { queryClient } from './lib/query-client.ts'
import { parseSearch, stringifySearch } from './lib/search-params.ts'

// This file only assembles the tree: each feature declares its own routes.
const routeTree = rootRoute.addChildren([
  ...shellRoutes,
  ...invitationRoutes,
  ...mailLinkRoutes,
  finishSignUpRoute,
  ...factorResetRoutes,
  ...ssoSignInRoutes,
  guestRoute.addChildren([...guestRoutes, ...secondStepRoutes]),
  accountRoute.addChildren([
    ...signedInShellRoutes,
    ...spacesRoutes,
    ...ownAccountRoutes,
    ...accountSecurityRoutes,
    ...secondFactorRoutes,
    unknownInstallationPageRoute,
    installationSettingsRoute.addChildren([
      installationOverviewRoute,
      ...installationRoutes,
      ...jobsRoutes,
      ...installationAuditLogRoutes,
    ]),
    spaceRoute.addChildren([
      ...spaceAppsRoutes,
      ...assetRoutes,
      ...formsRoutes,
      unknownSpacePageRoute,
      spaceSettingsRoute.addChildren([
        spaceOverviewRoute,
        ...spaceSettingsRoutes,
        ...membersRoutes,
        ...spaceInvitationsRoutes,
        ...rolesRoutes,
        ...tokensRoutes,
        ...webhooksRoutes,
        ...externalStorageRoutes,
        ...spaceJobsRoutes,
        ...imageSettingsRoutes,
        ...securityRoutes,
        ...groupRolesRoutes,
        ...ssoRoutes,
        ...scimRoutes,
        ...auditLogRoutes,
        ...movesRoutes,
        ...spaceExportsRoutes,
      ]),
      appRoute.addChildren([
        ...appPagesRoutes,
        ...appModelsRoutes,
        ...appModelCopiesRoutes,
        unknownAppPageRoute,
        appSettingsRoute.addChildren([
          appOverviewRoute,
          ...appSettingsPagesRoutes,
          ...appExportsRoutes,
          ...appMovesRoutes,
          ...appMembersRoutes,
          ...appInvitationsRoutes,
          ...accessRequestsRoutes,
          ...appRolesRoutes,
        ]),
        modelRoute.addChildren([
          ...documentRoutes,
          ...modelEditorRoutes,
          ...modelCopiesRoutes,
          unknownModelPageRoute,
        ]),
      ]),
    ]),
  ]),
])

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: false,
  // The query cache decides which data is fresh. A loader only ensures that its data is in the cache.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultErrorComponent: RouteError,
  defaultPendingComponent: RoutePending,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
