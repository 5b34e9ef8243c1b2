import { normalizeText } from '#server/content/text.ts'
import { foldKana } from '#shared/unicode.ts'

/** The key for searching assets and comparing tags: ignores character width, case and kind of kana. */
export const searchKey = (text: string): string => foldKana(normalizeText(text))
