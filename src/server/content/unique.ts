import { sha256 } from '#server/lib/ids.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/**
 * Checks whether values of this field must be unique among the model's published documents. The setting applies only to
 * types that support it.
 */
export const isUnique = (field: Field) => field.unique && typeOf(field).canBeUnique

/**
 * Returns the stored form of a unique value in `document_unique`: a case-sensitive hash of its NFC form. The hash
 * avoids the size limit of index rows.
 */
export const hashUniqueValue = (value: unknown) => sha256(normalizeUnicode(String(value), 'NFC'))
