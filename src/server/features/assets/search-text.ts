import { normalizeText } from '#server/content/text.ts'
import { foldKana } from '#shared/unicode.ts'

/** The form in which the library is searched and tags are told apart: width, case and kind of kana made equal. */
export const searchKey = (text: string): string => foldKana(normalizeText(text))
