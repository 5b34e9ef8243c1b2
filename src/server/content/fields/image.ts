import type { ServerFieldType } from './field-type.ts'
import { reason } from './received.ts'

/** Kept as the `_id` of an asset; what is answered of the asset is up to content/assets.ts. */
export const image: ServerFieldType<'IMAGE'> = {
  formats: ['placeholder'],
  received: {
    kinds: { image: {} },
    take(value, { origin }) {
      const asset = origin.asset(value)
      return asset?.isImage ? { input: asset.id } : null
    },
    likeness: () => ({ confidence: 0.95, why: reason('images') }),
  },
}
