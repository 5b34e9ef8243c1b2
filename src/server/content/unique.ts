import { sha256 } from '#server/lib/ids.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/**
 * Must values of this field be unique among the model's published documents? The setting only counts
 * for types that support it.
 */
export const isUnique = (field: Field) => field.unique && typeOf(field).canBeUnique

/**
 * The stored form of a unique value in `document_unique`: a hash of its NFC form, case-sensitive. The hash avoids the
 * size limit of index rows.
 */
export const hashUniqueValue = (value: unknown) => sha256(normalizeUnicode(String(value), 'NFC'))
