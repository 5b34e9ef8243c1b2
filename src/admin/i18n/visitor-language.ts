import { readStored, writeStored } from '#admin/base/storage.ts'
import { Store, useStore } from '#admin/base/store.ts'
import { isLanguage, type Language, preferredLanguage } from '#shared/languages.ts'

const key = 'imori-language'

/** The language this browser used last, or null. */
export function storedLanguage(): Language | null {
  const value = readStored(key)
  return isLanguage(value) ? value : null
}

const chosen = new Store<Language>(storedLanguage() ?? preferredLanguage(navigator.languages))

/** The language before anybody signs in: chosen now, or at the last visit, or the browser's. */
export const visitorLanguage = chosen.get

/** Sets it, and remembers it for the next visit. */
export function setVisitorLanguage(language: Language): void {
  writeStored(key, language)
  chosen.set(language)
}

export function useVisitorLanguage(): Language {
  return useStore(chosen)
}
