import { accountEndpoints } from './accounts.ts'
import { appEndpoints } from './apps.ts'
import { customTypeEndpoints } from './custom-types.ts'
import { documentEndpoints } from './documents.ts'
import { jobEndpoints } from './jobs.ts'
import { memberEndpoints } from './members.ts'
import { modelEndpoints } from './models.ts'
import { spaceEndpoints } from './spaces.ts'
import { tokenEndpoints } from './tokens.ts'

/** Every endpoint of the management API by its operation name. */
export const endpoints = {
  ...accountEndpoints,
  ...spaceEndpoints,
  ...memberEndpoints,
  ...appEndpoints,
  ...modelEndpoints,
  ...customTypeEndpoints,
  ...documentEndpoints,
  ...tokenEndpoints,
  ...jobEndpoints,
}

export type Endpoints = typeof endpoints
/** Every endpoint by its route (`GET /api/project/{p}`): what the admin's client is typed with, at no cost at run time. */
export type EndpointByRoute = { [E in Endpoints[keyof Endpoints] as E['route']]: E }
