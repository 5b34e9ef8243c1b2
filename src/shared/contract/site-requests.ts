import { z } from 'zod'
import { timeSchema } from './common.ts'
import { endpoint } from './endpoint.ts'

export const siteRequestSchema = z.object({
  model: z.string(),
  api: z.enum(['cdn', 'api']),
  /** The origin of the requesting page. Empty for programs. */
  site: z.string(),
  /** The `User-Agent` of a program, such as `axios/1.7.9`; may be empty. */
  agent: z.string(),
  firstAt: timeSchema,
  /** Time of the last recorded request. Each process records the requests of a sender about once a minute at most. */
  lastAt: timeSchema,
})

export const siteRequestEndpoints = {
  listSiteRequests: endpoint('GET /api/project/{p}/app/{a}/siteRequest', {
    summary: "List sites and programs that read the app's content",
    description: 'Contains at most 200 sites and programs of the last 30 days, the most recent first.',
    permission: 'app.manage',
    response: z.object({ siteRequests: z.array(siteRequestSchema) }),
  }),
}
