import { normalizeText } from '#server/content/text.ts'

/** The form in which the library is searched and tags are told apart: width, case and kind of kana made equal. */
export function searchKey(text: string): string {
  return normalizeText(text).replace(/[\u30a1-\u30f6]/g, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - 0x60),
  )
}
