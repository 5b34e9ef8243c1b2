import { normalizeText } from '#server/content/text.ts'
import { foldKana } from '#shared/unicode.ts'

/** Returns the key for searching assets and comparing tags. Ignores character width, case and kind of kana. */
export const searchKey = (text: string): string => foldKana(normalizeText(text))
