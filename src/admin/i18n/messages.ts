import { createTranslator } from 'use-intl/core'
import { loadScript } from '#admin/lib/reload-guard.ts'
import type { Language } from './language.ts'
import type { messages as japanese } from './messages.ja.ts'

/** All texts, keyed as the Japanese catalogue is. */
export type Messages = typeof japanese

declare module 'use-intl' {
  interface AppConfig {
    Locale: Language
    Messages: Messages
  }
}

export interface Catalogue {
  language: Language
  messages: Messages
}

let active: Catalogue | undefined

/** Downloads the texts of a language: only this language, one file. */
export async function loadCatalogue(language: Language): Promise<Catalogue> {
  const module = await loadScript<{ messages: Messages }>(() =>
    language === 'en' ? import('./messages.en.ts') : import('./messages.ja.ts'),
  )
  return { language, messages: module.messages }
}

/** Makes a catalogue the one that texts outside of components (toasts of failed calls) are taken from. */
export function activateCatalogue(catalogue: Catalogue): void {
  active = catalogue
  document.documentElement.lang = catalogue.language
}

/**
 * A translator for code outside of components. Components use `useTranslations`.
 * @throws Error before the first catalogue was activated
 */
export function translator() {
  if (!active) throw new Error('No texts are loaded yet')
  return createTranslator({ locale: active.language, messages: active.messages })
}
