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
    summary:
      'The code that shows what is at an address of another service (a video, a post, slides), as fields for embeds ' +
      'take it. The service is asked by oEmbed; one that cannot be embedded is refused with `NotEmbeddable`, and 503 is ' +
      'answered while a service does not answer. `lazy=true`: frames load when they come into sight. `options`: JSON of ' +
      '`maxWidth` and `maxHeight` in pixels.',
    permission: 'account',
    query: z.object({
      url: z.string().max(2000),
      lazy: z.enum(['true', 'false']).optional(),
      options: inJson(embedOptionsSchema).optional(),
    }),
    response: z.object({
      embeddedCode: z.string(),
      /** `''` if the provider does not send a title. */
      title: z.string(),
      provider: z.string(),
    }),
  }),
  previewEmbed: endpoint('GET /api/embed:preview', {
    summary:
      'A page with nothing but the frame at an address of another service, for the admin to show: what is in it reaches ' +
      'neither the session nor the admin around it.',
    permission: 'account',
    query: z.object({ src: z.string().max(4000) }),
    response: { kind: 'stream', type: 'text/html; charset=utf-8' },
  }),
}
