// Loads the module that is extended below, for programs of which no other file imports it.
import type {} from 'use-intl'
import { createTranslator } from 'use-intl/core'
import { loadScript } from '#admin/base/reload-guard.ts'
import { Store, useStore } from '#admin/base/store.ts'
import type { Language } from '#shared/languages.ts'
import type { messages as japaneseEditing } from './editing.ja.ts'
import type { messages as japanese } from './messages.ja.ts'

type FirstMessages = typeof japanese
type EditingMessages = typeof japaneseEditing

/** All texts, keyed as the Japanese catalogue is. Those for editing are there once {@link loadEditingTexts} was. */
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

/** Downloads the texts of a language, and of no other one: the first ones, and those for editing once they were asked for. */
export async function loadCatalogue(language: Language): Promise<Catalogue> {
  const [always, later] = await Promise.all([first(language), isEditing ? editing(language) : null])
  return { language, messages: { ...always.messages, ...later?.messages } }
}

/** Makes a catalogue the one that all texts are taken from, inside of components and outside. */
export function activateCatalogue(catalogue: Catalogue): void {
  const { documentElement: root } = document
  root.lang = catalogue.language
  // What stands beside the name of a required input (theme/global.css) is a text like others.
  root.style.setProperty('--imori-required', JSON.stringify(catalogue.messages.common.required))
  active.set(catalogue)
}

/** Brings the texts of models and documents, in this language and in those that are chosen later. */
export async function loadEditingTexts(): Promise<void> {
  isEditing = true
  for (let before = active.get(); before && !before.messages.documents; before = active.get()) {
    const { language } = before
    const { messages } = await editing(language)
    // Meanwhile another language may have been chosen.
    const now = active.get()
    if (now?.language === language)
      activateCatalogue({ language, messages: { ...now.messages, ...messages } })
  }
}

/** The active catalogue; undefined before the first one. */
export function useCatalogue(): Catalogue | undefined {
  return useStore(active)
}

/**
 * A translator for code outside of components. Components use `useTranslations`.
 * @throws Error before the first catalogue was activated
 */
export function translator() {
  const catalogue = active.get()
  if (!catalogue) throw new Error('No texts are loaded yet')
  return createTranslator({ locale: catalogue.language, messages: catalogue.messages as Messages })
}
