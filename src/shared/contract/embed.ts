import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const side = z.int().min(1).max(10_000)

/** Maximum size of the frame in pixels. Providers may ignore it. */
const embedOptionsSchema = z.strictObject({ maxWidth: side.optional(), maxHeight: side.optional() })

/** A query parameter that contains JSON. */
const inJson = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .max(1000)
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: 'InvalidFormat' })
        return z.NEVER
      }
    })
    .pipe(schema)

export const embedEndpoints = {
  getEmbeddedCode: endpoint('GET /api/embed:getEmbeddedCode', {
    summary: 'Get the embed code for a URL of another service',
    description:
      'Returns the code as embed fields store it, for a video, a post or slides. The service is queried ' +
      'by oEmbed. 400 with the issue `NotEmbeddable` if the URL cannot be embedded, 503 ' +
      '`OtherServiceUnreachable` if the service does not respond and the code cannot be created without ' +
      'it. `lazy=true`: frames load when they become visible. `options`: JSON with `maxWidth` and ' +
      '`maxHeight` in pixels.',
    permission: 'account',
    query: z.object({
      url: z.string().max(2000),
      lazy: z.enum(['true', 'false']).optional(),
      options: inJson(embedOptionsSchema).optional(),
    }),
    response: z.object({
      embeddedCode: z.string(),
      /** `''` if the provider has sent no title. */
      title: z.string(),
      provider: z.string(),
    }),
  }),
  previewEmbed: endpoint('GET /api/embed:preview', {
    summary: 'Get a page that contains only the frame of an embedded URL',
    description:
      'The admin shows this page. The embedded content can access neither the session nor the admin. ' +
      '400 for an address that is not HTTPS or on this server.',
    permission: 'account',
    query: z.object({ src: z.string().max(4000) }),
    response: { kind: 'stream', type: 'text/html; charset=utf-8' },
  }),
}
