import { sha256 } from '#server/lib/ids.ts'
import { type Field, typeOf } from '#shared/fields/index.ts'
import { normalizeUnicode } from '#shared/unicode.ts'

/** Is no other document of the model published with this field's value? The switch counts only where the type allows it. */
export const isUnique = (field: Field) => field.unique && typeOf(field).canBeUnique

/**
 * How a value of a unique field is kept in `document_unique`: what must not repeat is the NFC form in exact case. The
 * hash avoids the row limit of the index.
 */
export const hashUniqueValue = (value: unknown) => sha256(normalizeUnicode(String(value), 'NFC'))
