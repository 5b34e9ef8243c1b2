import { RescueFailure, toFailure } from '#rescue/failure.ts'
import { type Language, preferredLanguage } from '#shared/languages.ts'
import { replaceInvisible } from '#shared/unicode.ts'
import { en } from './en.ts'
import { ja, type Messages, type Trouble } from './ja.ts'

export type { Messages, Trouble }

/** Returns the texts of a language. */
export function messagesFor(language: Language): Messages {
  return language === 'en' ? en : ja
}

/** Returns Japanese, unless the environment specifies another language. */
export function languageOf(env: Record<string, string | undefined>): Language {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || ''
  return /^(?:(?:c|posix)(?![a-z])|$)/i.test(locale) ? 'ja' : preferredLanguage([locale], 'en')
}

/** Returns the message for an error, with the problem and its solution. */
export function sentenceFor(error: unknown, text: Messages): string {
  const failure = error instanceof RescueFailure ? error : toFailure(error)
  return text.failures[failure.code](failure.details)
}

/** Returns untrusted text that is safe to display: one line, without control and bidirectional characters. */
export function plain(text: string): string {
  return replaceInvisible(text.replace(/\s/gu, ' '), '').replace(/[\p{Co}\p{Cs}]/gu, '')
}

/** Formats a number of bytes: 1,536 → `1.5 KB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
