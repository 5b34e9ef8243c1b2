import { Store, useStore } from '#admin/base/store.ts'
import { browserLanguage, type Language, storedLanguage, storeLanguage } from './language.ts'

const chosen = new Store<Language>(storedLanguage() ?? browserLanguage())

/** The language before anybody signs in: chosen now, or at the last visit, or the browser's. */
export const visitorLanguage = chosen.get

/** Sets and remembers it. */
export function setVisitorLanguage(language: Language): void {
  storeLanguage(language)
  chosen.set(language)
}

export function useVisitorLanguage(): Language {
  return useStore(chosen)
}
