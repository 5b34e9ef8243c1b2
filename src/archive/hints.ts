import { z } from 'zod'

/** Optional file of an archive with what the source knows about its models and fields. */
export const hintsPath = 'hints.json'

const fieldHintSchema = z.object({
  /** The key of its values. */
  key: z.string(),
  name: z.string().optional(),
  /**
   * Possible types, most likely first: `line`, `lines`, `text`, `markdown`, `html`, `number`, `boolean`, `moment`,
   * `choice`, `color`, `place`, `reference`, `image`, `file`, or the name of a field type.
   */
  kinds: z.array(z.string()).default([]),
  required: z.boolean().default(false),
  unique: z.boolean().default(false),
})

/** A count with some examples by name. */
const notedSchema = z.object({ count: z.int(), examples: z.array(z.string()) })

/** What a source knows about its models. Hints are only used where the values of a field allow them. */
export const hintsSchema = z.object({
  models: z.array(
    z.object({
      uid: z.string(),
      name: z.string().optional(),
      titleKey: z.string().optional(),
      /** Contents that become drafts because their visibility was restricted, with some titles. */
      restricted: notedSchema.optional(),
      /** Values of dates that are none, such as `0000-00-00`, with the contents that have them. */
      undated: notedSchema.optional(),
      /** Embedded pictures on hosts whose files are not included. */
      picturesElsewhere: notedSchema.optional(),
      /** Shortcodes of WordPress in texts, which are no longer executed. */
      shortcodes: notedSchema.optional(),
      fields: z.array(fieldHintSchema).default([]),
    }),
  ),
})
export type Hints = z.infer<typeof hintsSchema>
export type ModelHints = z.input<typeof hintsSchema>['models'][number]
export type FieldHint = z.input<typeof fieldHintSchema>
