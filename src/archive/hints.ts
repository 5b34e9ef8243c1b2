import { z } from 'zod'
import { leftOutKinds, publicationStates } from './publication-states.ts'

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

/** Contents of a model of which the source says the same about their visibility. */
const stateHintSchema = notedSchema.extend({
  key: z.string(),
  state: z.enum(publicationStates),
  /** The statement of the source, `status: archived`; `''`: the source says nothing. */
  statement: z.string(),
  /** Number of published contents with newer edits. */
  changed: z.int().default(0),
})
export type StateHint = z.infer<typeof stateHintSchema>

/** A part of a source that is not imported because the source does not publish it. */
const leftOutSchema = z.object({ kind: z.enum(leftOutKinds), name: z.string(), count: z.int() })
export type LeftOut = z.infer<typeof leftOutSchema>

/** What a source knows about its models. Hints are only used where the values of a field allow them. */
export const hintsSchema = z.object({
  models: z.array(
    z.object({
      uid: z.string(),
      name: z.string().optional(),
      titleKey: z.string().optional(),
      /** Values of dates that are none, such as `0000-00-00`, with the contents that have them. */
      undated: notedSchema.optional(),
      /** Embedded pictures on hosts whose files are not included. */
      picturesElsewhere: notedSchema.optional(),
      /** Shortcodes of WordPress in texts, which are no longer executed. */
      shortcodes: notedSchema.optional(),
      fields: z.array(fieldHintSchema).default([]),
      /** The states of the contents, to which `_sys.state` refers. */
      states: z.array(stateHintSchema).default([]),
    }),
  ),
  leftOut: z.array(leftOutSchema).default([]),
  /** Whether the format is not that of a known service, so that a user must confirm what the file is. */
  isGeneric: z.boolean().default(false),
})
export type Hints = z.infer<typeof hintsSchema>
export type HintsInput = z.input<typeof hintsSchema>
export type ModelHints = z.input<typeof hintsSchema>['models'][number]
export type FieldHint = z.input<typeof fieldHintSchema>
