import { readStored, writeStored } from '#admin/base/storage.ts'
import { Store, useStore } from '#admin/base/store.ts'
import { isLanguage, type Language, preferredLanguage } from '#shared/languages.ts'

const key = 'imori-language'

/** Returns the language that was chosen last in this browser, or null. */
export function storedLanguage(): Language | null {
  const value = readStored(key)
  return isLanguage(value) ? value : null
}

const chosen = new Store<Language>(storedLanguage() ?? preferredLanguage(navigator.languages))

/**
 * Returns the language for visitors who have not signed in: the language set last in this browser, otherwise the
 * browser's preferred one.
 */
export const visitorLanguage = chosen.get

/** Sets the visitor's language and stores it for the next visit. */
export function setVisitorLanguage(language: Language): void {
  writeStored(key, language)
  chosen.set(language)
}

export function useVisitorLanguage(): Language {
  return useStore(chosen)
}
