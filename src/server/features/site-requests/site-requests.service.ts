import type { AppContext } from '#server/access/context.ts'
import * as siteRequests from './site-requests.repository.ts'

const mostListed = 200

/**
 * Returns the sites and programs that requested the app's contents in the last 30 days, most recent first. At most
 * `mostListed`.
 */
export const listSiteRequests = ({ db, scope }: AppContext): Promise<siteRequests.SiteRequestRow[]> =>
  siteRequests.listSiteRequests(db, scope, mostListed)
