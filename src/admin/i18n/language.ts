import { readStored, writeStored } from '#admin/base/storage.ts'

export const languages = ['ja', 'en'] as const
export type Language = (typeof languages)[number]

const key = 'imori-language'

function isLanguage(value: unknown): value is Language {
  return languages.includes(value as Language)
}

/** The language this browser used last, or null. */
export function storedLanguage(): Language | null {
  const value = readStored(key)
  return isLanguage(value) ? value : null
}

/** Remembers the language for the next visit, before anybody signs in. */
export function storeLanguage(language: Language): void {
  writeStored(key, language)
}

/** The language of a visitor: the first one of the browser's that we speak, else Japanese. */
export function browserLanguage(preferred: readonly string[] = navigator.languages): Language {
  for (const tag of preferred) {
    const language = tag.toLowerCase().split('-')[0]
    if (isLanguage(language)) return language
  }
  return 'ja'
}
