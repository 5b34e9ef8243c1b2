import type { AppContext } from '#server/access/context.ts'
import * as siteRequests from './site-requests.repository.ts'

const mostListed = 200

/** Returns the sites and programs that have requested the app's contents, most recent first. */
export const listSiteRequests = ({ db, scope }: AppContext): Promise<siteRequests.SiteRequestRow[]> =>
  siteRequests.listSiteRequests(db, scope, mostListed)
