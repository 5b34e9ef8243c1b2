import type { ServerFieldType } from './field-type.ts'
import { reason } from './received.ts'

/** Kept as the `_id` of an asset; what is answered of the asset is up to content/assets.ts. */
export const file: ServerFieldType<'FILE'> = {
  received: {
    kinds: { file: {} },
    take(value, { origin }) {
      const asset = origin.asset(value)
      return asset ? { input: asset.id, notes: asset.isImage ? ['image'] : [] } : null
    },
    likeness: (seen) =>
      seen.noted('FILE', 'image') === seen.items
        ? { confidence: 0.2, why: reason('onlyImages') }
        : { confidence: 0.97, why: reason('files') },
  },
}
