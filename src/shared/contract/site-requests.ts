import { z } from 'zod'
import { timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

/** A site or a program that has asked the delivery API for a model: by what it says of itself. */
export const siteRequestSchema = z.object({
  model: z.string(),
  api: z.enum(['cdn', 'api']),
  /** The origin of the page that asked; empty: a program did. */
  site: z.string(),
  /** The program that asked, where no page did: `axios/1.7.9`; may be empty. */
  agent: z.string(),
  firstAt: timeSchema,
  /** To the minute. */
  lastAt: timeSchema,
})

export const siteRequestEndpoints = {
  listSiteRequests: endpoint('GET /api/project/{p}/app/{a}/siteRequest', {
    summary:
      'Which sites and programs have asked for the app’s contents in 30 days, the last first; 200 at most.',
    permission: 'app.manage',
    response: z.object({ siteRequests: z.array(siteRequestSchema) }),
  }),
}
