import type { AppContext } from '#server/access/context.ts'
import * as siteRequests from './site-requests.repository.ts'

const mostListed = 200

/** Which sites and programs have asked for the app's contents, the last first. */
export const listSiteRequests = ({ db, scope }: AppContext): Promise<siteRequests.SiteRequestRow[]> =>
  siteRequests.listSiteRequests(db, scope, mostListed)
