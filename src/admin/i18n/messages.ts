// The declaration below extends `use-intl`, which some TypeScript projects import only here.
import type {} from 'use-intl'
import { createTranslator } from 'use-intl/core'
import { loadScript } from '#admin/base/reload-guard.ts'
import { Store, useStore } from '#admin/base/store.ts'
import type { Language } from '#shared/languages.ts'
import type { messages as japaneseEditing } from './editing.ja.ts'
import type { messages as japanese } from './messages.ja.ts'

type FirstMessages = typeof japanese
type EditingMessages = typeof japaneseEditing

/** All texts, with the keys of the Japanese catalogue. The editing texts are loaded by {@link loadEditingTexts}. */
export type Messages = FirstMessages & EditingMessages

declare module 'use-intl' {
  interface AppConfig {
    Locale: Language
    Messages: Messages
  }
}

export interface Catalogue {
  language: Language
  messages: FirstMessages & Partial<EditingMessages>
}

const active = new Store<Catalogue | undefined>(undefined)
let isEditing = false

const first = (language: Language) =>
  loadScript<{ messages: FirstMessages }>(() =>
    language === 'en' ? import('./messages.en.ts') : import('./messages.ja.ts'),
  )
const editing = (language: Language) =>
  loadScript<{ messages: EditingMessages }>(() =>
    language === 'en' ? import('./editing.en.ts') : import('./editing.ja.ts'),
  )

/**
 * Downloads the texts of one language: always the first texts, and the editing texts if {@link loadEditingTexts} was
 * called.
 */
export async function loadCatalogue(language: Language): Promise<Catalogue> {
  const [always, later] = await Promise.all([first(language), isEditing ? editing(language) : null])
  return { language, messages: { ...always.messages, ...later?.messages } }
}

/** Activates a catalogue: texts inside and outside of components are read from it. */
export function activateCatalogue(catalogue: Catalogue): void {
  const { documentElement: root } = document
  root.lang = catalogue.language
  // The label next to the name of a required input (theme/global.css) is a translated text as well.
  root.style.setProperty('--imori-required', JSON.stringify(catalogue.messages.common.required))
  active.set(catalogue)
}

/** Adds the editing texts to the active catalogue, and to catalogues that are loaded later. */
export async function loadEditingTexts(): Promise<void> {
  isEditing = true
  for (let before = active.get(); before && !before.messages.documents; before = active.get()) {
    const { language } = before
    const { messages } = await editing(language)
    // The user may have chosen another language in the meantime.
    const now = active.get()
    if (now?.language === language)
      activateCatalogue({ language, messages: { ...now.messages, ...messages } })
  }
}

/** Returns the active catalogue; undefined before the first one is activated. */
export function useCatalogue(): Catalogue | undefined {
  return useStore(active)
}

/**
 * Returns a translator for code outside of components. Components use `useTranslations`.
 * @throws Error if no catalogue is active yet
 */
export function translator() {
  const catalogue = active.get()
  if (!catalogue) throw new Error('No texts are loaded yet')
  return createTranslator({ locale: catalogue.language, messages: catalogue.messages as Messages })
}
