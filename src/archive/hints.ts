import { z } from 'zod'

/** The optional file of an archive in which its source says what it knows of models and fields. */
export const hintsPath = 'hints.json'

const fieldHintSchema = z.object({
  /** The key of its values. */
  key: z.string(),
  name: z.string().optional(),
  /**
   * What its values are, the likeliest first: `line`, `lines`, `text`, `markdown`, `html`, `number`, `boolean`, `moment`, `choice`,
   * `color`, `place`, `reference`, `image`, `file`, or the name of a type of field.
   */
  kinds: z.array(z.string()).default([]),
  required: z.boolean().default(false),
  unique: z.boolean().default(false),
})

/** What a source knows of its models. It is only asked where the values of a field allow what it says. */
export const hintsSchema = z.object({
  models: z.array(
    z.object({
      uid: z.string(),
      name: z.string().optional(),
      titleKey: z.string().optional(),
      /** Contents that come as drafts because not everybody could see them there: so many, some by their titles. */
      restricted: z.object({ count: z.int(), examples: z.array(z.string()) }).optional(),
      fields: z.array(fieldHintSchema).default([]),
    }),
  ),
})
export type Hints = z.infer<typeof hintsSchema>
export type ModelHints = z.input<typeof hintsSchema>['models'][number]
export type FieldHint = z.input<typeof fieldHintSchema>
