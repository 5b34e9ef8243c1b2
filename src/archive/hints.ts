import { z } from 'zod'
import { leftOutKinds, publicationStates } from './publication-states.ts'

/** Optional file of an archive with facts that the source provides about its models and fields. */
export const hintsPath = 'hints.json'

const fieldHintSchema = z.object({
  /** Key of the field's values in a content. */
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

const notedSchema = z.object({ count: z.int(), examples: z.array(z.string()) })

/** Number and examples of the contents of a model for which the source states the same visibility. */
const stateHintSchema = notedSchema.extend({
  key: z.string(),
  state: z.enum(publicationStates),
  /** The statement as the source writes it, such as `status: archived`. Empty: the source makes none. */
  statement: z.string(),
  /** Number of published contents with newer edits. */
  changed: z.int().default(0),
})
export type StateHint = z.infer<typeof stateHintSchema>

/** A part of a source that is left out of the import, or from which some content is left out. */
const leftOutSchema = z.object({ kind: z.enum(leftOutKinds), name: z.string(), count: z.int() })
export type LeftOut = z.infer<typeof leftOutSchema>

/** Facts that a source provides about its models. Hints about a field are used only if its values match them. */
export const hintsSchema = z.object({
  models: z.array(
    z.object({
      uid: z.string(),
      name: z.string().optional(),
      titleKey: z.string().optional(),
      /** Number of invalid dates, such as `0000-00-00`, and examples of contents with such dates. */
      undated: notedSchema.optional(),
      /** Embedded pictures outside the hosts and folders of the source's files. Their files are not imported. */
      picturesElsewhere: notedSchema.optional(),
      /** WordPress shortcodes in texts. They are no longer executed. */
      shortcodes: notedSchema.optional(),
      fields: z.array(fieldHintSchema).default([]),
      /** The states of the contents. `_sys.state` of a content refers to a `key`. */
      states: z.array(stateHintSchema).default([]),
    }),
  ),
  leftOut: z.array(leftOutSchema).default([]),
  /** Whether the upload is a generic list of objects. A user must then confirm that the objects are contents. */
  isGeneric: z.boolean().default(false),
})
export type Hints = z.infer<typeof hintsSchema>
export type HintsInput = z.input<typeof hintsSchema>
export type ModelHints = z.input<typeof hintsSchema>['models'][number]
export type FieldHint = z.input<typeof fieldHintSchema>
