import { bodySchema } from '#shared/contract/endpoint.ts'
import { endpoints } from '#shared/contract/index.ts'
import type { Issue } from '#shared/errors.ts'
import { zodIssues } from '#shared/zod-issues.ts'
import type { ApiRoute } from './api.ts'

const byRoute = new Map(Object.values(endpoints).map((endpoint) => [endpoint.route, bodySchema(endpoint)]))

/** Returns the issues that the endpoint's schema finds in a body. The server would report the same paths and codes. */
export function issuesOfBody(route: ApiRoute, body: unknown): Issue[] {
  const result = byRoute.get(route)?.safeParse(body, { reportInput: true })
  return result && !result.success ? zodIssues(result.error.issues) : []
}
