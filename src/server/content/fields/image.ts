import type { ServerFieldType } from './field-type.ts'

/** Kept as the `_id` of an asset; what is answered of the asset is up to content/assets.ts. */
export const image: ServerFieldType<'IMAGE'> = { formats: ['placeholder'] }
