import type { ServerFieldType } from './field-type.ts'
import { knownFiles, reason, takeLostFile } from './received.ts'

/** Values are stored as the `_id` of an asset. */
export const file: ServerFieldType<'FILE'> = {
  received: {
    kinds: { file: {} },
    take(value, around) {
      const asset = around.origin.asset(value)
      if (!asset) return takeLostFile(value, around)
      return { input: asset.id, notes: asset.isImage ? ['image'] : [] }
    },
    likeness(seen) {
      const known = knownFiles('FILE', seen)
      if (known === 0) return null
      return seen.noted('FILE', 'image') === known
        ? { confidence: 0.2, why: reason('onlyImages') }
        : { confidence: 0.97, why: reason('files') }
    },
  },
}
