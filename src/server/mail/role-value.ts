import { z } from 'zod'
import english from '#shared/i18n/en/role.json'
import japanese from '#shared/i18n/ja/role.json'
import type { Language } from '#shared/languages.ts'
import { nameValue } from './safe-name.ts'

/**
 * A role as a value of a mail. Built-in roles have no stored name: their names are translated to the language of the
 * mail.
 */
export const roleValue = z.object({ uid: z.string(), name: nameValue })

const builtIn: Record<Language, Record<string, string>> = { ja: japanese, en: english }

/** Returns the name of a role in the language of a mail. */
export const nameOfRole = (language: Language, { uid, name }: z.output<typeof roleValue>): string =>
  name || builtIn[language][uid] || uid
