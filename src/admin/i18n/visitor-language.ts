import { useSyncExternalStore } from 'react'
import { browserLanguage, type Language, storedLanguage, storeLanguage } from './language.ts'

let chosen: Language | undefined
const listeners = new Set<() => void>()

/** The language before anybody signs in: chosen now, or at the last visit, or the browser's. */
export function visitorLanguage(): Language {
  chosen ??= storedLanguage() ?? browserLanguage()
  return chosen
}

/** Sets and remembers it. */
export function setVisitorLanguage(language: Language): void {
  storeLanguage(language)
  if (language === chosen) return
  chosen = language
  for (const listener of listeners) listener()
}

export function useVisitorLanguage(): Language {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, visitorLanguage)
}
