import type { Implementation } from '#server/http/endpoints.ts'
import { accountRoutes } from './accounts/accounts.routes.ts'
import { appRoutes } from './apps/apps.routes.ts'
import { documentRoutes } from './documents/documents.routes.ts'
import { memberRoutes } from './members/members.routes.ts'
import { modelRoutes } from './models/models.routes.ts'
import { spaceRoutes } from './spaces/spaces.routes.ts'
import { tokenRoutes } from './tokens/tokens.routes.ts'

/** Every feature's endpoints: the management API. */
export const implementations: Implementation[] = [
  ...accountRoutes,
  ...spaceRoutes,
  ...memberRoutes,
  ...appRoutes,
  ...modelRoutes,
  ...documentRoutes,
  ...tokenRoutes,
]
