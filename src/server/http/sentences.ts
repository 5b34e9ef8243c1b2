import { createTranslator } from 'use-intl/core'
import { type AppError, type Issue, issueArguments } from '#shared/errors.ts'
import englishIssue from '#shared/i18n/en/issue.json'
import englishError from '#shared/i18n/en/server-error.json'
import japaneseIssue from '#shared/i18n/ja/issue.json'
import japaneseError from '#shared/i18n/ja/server-error.json'
import type { Language } from '#shared/languages.ts'

const translators = {
  ja: createTranslator({ locale: 'ja', messages: { issue: japaneseIssue, error: japaneseError } }),
  en: createTranslator({ locale: 'en', messages: { issue: englishIssue, error: englishError } }),
}

/** Returns an issue of the input as a sentence. */
export function issueSentence(language: Language, issue: Pick<Issue, 'code' | 'params'>): string {
  return translators[language](`issue.${issue.code}`, issueArguments(issue))
}

/** Returns the reason for a refusal as a sentence. For `ValidationFailed`: the reason of its first issue. */
export function refusalSentence(language: Language, { code, issues }: AppError): string {
  const [first] = issues ?? []
  return code === 'ValidationFailed' && first
    ? issueSentence(language, first)
    : translators[language](`error.${code}`)
}
