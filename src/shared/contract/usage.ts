import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const count = z.int()
/** A calendar day in UTC, such as `2026-01-31`. */
const day = z.iso.date({ error: ({ input }) => (input === undefined ? 'Required' : 'InvalidFormat') })

/** Maximum number of days in a response, and number of days for which the counters are stored. */
export const usageDays = 400

export const usageDaySchema = z.object({
  day,
  /** `stored`: number at the end of the day, including the trash. */
  documents: z.object({ created: count, deleted: count, stored: count }),
  assets: z.object({ created: count, deleted: count, stored: count }),
  /** Sizes of the current files of assets. A replaced file is removed and added. */
  bytes: z.object({ added: count, removed: count, stored: count }),
  calls: z.object({ cdn: count, api: count }),
})
export type UsageDay = z.infer<typeof usageDaySchema>

export const usageEndpoints = {
  getUsage: endpoint('GET /api/project/{p}/usage', {
    summary: 'Get the documents, assets and API calls of a space by day',
    description:
      `Contains each day (UTC) from \`from\` to \`to\`, at most ${usageDays} days; the server stores the changes and ` +
      'calls of the last 400 days. Documents and assets count until they are deleted permanently, so the trash is ' +
      'included. A call is a successful request to the CDN API or the API. Days before the server began to count ' +
      'have no changes and no calls. Counters are updated within seconds; a crash of the server can lose the calls ' +
      'of the last seconds.',
    permission: 'space.update',
    query: z.strictObject({ from: day, to: day }),
    response: z.object({ usage: z.array(usageDaySchema) }),
  }),
}
