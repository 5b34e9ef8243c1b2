import type { Implementation } from '#server/http/endpoints.ts'
import type { Job, Schedule } from '#server/jobs/job.ts'
import type { Subscriber } from '#server/jobs/subscriber.ts'
import { accountRoutes } from './accounts/accounts.routes.ts'
import { appRoutes } from './apps/apps.routes.ts'
import { documentRoutes } from './documents/documents.routes.ts'
import { jobRoutes } from './jobs/jobs.routes.ts'
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
  ...jobRoutes,
]

/** What the features do later. */
export const jobs: Job[] = []

/** What the clock asks for, at moments of little traffic that no two share. */
export const schedules: Schedule[] = []

/** Who reads the outbox. */
export const subscribers: Subscriber[] = []
