import type { ServerFieldType } from './field-type.ts'
import { knownFiles, reason, takeLostFile } from './received.ts'

/** Values are stored as the `_id` of an asset. */
export const image: ServerFieldType<'IMAGE'> = {
  formats: ['placeholder'],
  received: {
    kinds: { image: {} },
    take(value, around) {
      const asset = around.origin.asset(value)
      if (!asset) return takeLostFile(value, around)
      return asset.isImage ? { input: asset.id } : null
    },
    likeness: (seen) =>
      knownFiles('IMAGE', seen) === 0 ? null : { confidence: 0.95, why: reason('images') },
  },
}
