/**
 * Converts a path of the contract (`/api/project/{p}/doc:check`) to a URL of Fastify, which reads `:x` as a parameter
 * and `::` as a colon. A colon ends a parameter only if the parameter has a pattern that excludes it.
 */
export const urlOf = (path: string): string =>
  path
    .replaceAll(':', '::')
    .replace(/\{(\w+)\}(?=:)/g, ':$1([^:/]+)')
    .replace(/\{(\w+)\}/g, ':$1')
