import type { LocalizedText } from '#shared/forms/fields.ts'
import type { Language } from '#shared/languages.ts'

export const otherLanguage = (language: Language): Language => (language === 'ja' ? 'en' : 'ja')

/** Returns the text in this language, or in the other language if it is empty. */
export const textIn = (text: LocalizedText, language: Language): string =>
  text[language].trim() || text[otherLanguage(language)].trim()
