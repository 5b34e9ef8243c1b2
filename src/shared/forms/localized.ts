import { type Language, languages } from '../languages.ts'
import type { LocalizedText } from './fields.ts'

/** Returns this language, or another one if the text is blank in this one only. */
export const languageOf = (text: LocalizedText, language: Language): Language =>
  [language, ...languages].find((candidate) => text[candidate].trim() !== '') ?? language

/** Returns the text in this language, or in another one if it is blank. `''`: there is none. */
export const textIn = (text: LocalizedText, language: Language): string =>
  text[languageOf(text, language)].trim()
