import { createTranslator } from 'use-intl/core'
import englishMoves from '#admin/i18n/en/moves.json'
import japaneseMoves from '#admin/i18n/ja/moves.json'
import { type MoveProblem, moveProblems } from '#shared/contract/move-plans.ts'
import type { MoveRefusal, MoveReport } from '#shared/contract/moves.ts'
import englishError from '#shared/i18n/en/server-error.json'
import japaneseError from '#shared/i18n/ja/server-error.json'
import type { Language } from '#shared/languages.ts'
import type { PublicationState } from '#shared/publication-states.ts'

const translators = {
  ja: createTranslator({ locale: 'ja', messages: { moves: japaneseMoves, error: japaneseError } }),
  en: createTranslator({ locale: 'en', messages: { moves: englishMoves, error: englishError } }),
}

/**
 * Returns functions that translate codes of states, problems and errors for a terminal, with the admin's texts about
 * imports. They return unknown codes of a newer server unchanged.
 */
export function sentencesIn(language: Language) {
  const t = translators[language]
  const known = (key: string, values: Record<string, number | string>, code: string) =>
    t.has(key as never) ? t(key as never, values as never) : code
  return {
    /** Returns the problems of a plan with their paths. Problems with the same code are combined into one sentence. */
    problems(problems: readonly MoveProblem[]): { kind: string; sentence: string; places: string[] }[] {
      const codes = [...new Set(problems.map(({ code }) => code))]
      return (['stops', 'warning', 'note'] as const).flatMap((kind) =>
        codes.flatMap((code) => {
          if (moveProblems[code] !== kind) return []
          const same = problems.filter((problem) => problem.code === code)
          const count = same.reduce((sum, problem) => sum + problem.count, 0)
          const values = { count, places: same.length }
          const places = same.map(({ path }) => path).filter((path) => path !== '')
          const sentence = known(`moves.plan.problems.codes.${code}`, values, code)
          return [{ kind: t(`moves.plan.problems.kinds.${kind}`), sentence, places }]
        }),
      )
    },
    state: (state: PublicationState): string => known(`moves.plan.publication.states.${state}`, {}, state),
    leftOut: (kind: string): string => known(`moves.plan.leftOut.kinds.${kind}`, {}, kind),
    kind: (kind: 'stops' | 'warning' | 'note'): string => t(`moves.plan.problems.kinds.${kind}`),
    refusal: ({ code }: MoveRefusal): string => known(`moves.refused.codes.${code}`, {}, code),
    item: (kind: string): string => known(`moves.refused.kinds.${kind}`, {}, kind),
    report: ({ code, count, params }: MoveReport['problems'][number]): string =>
      known(`moves.imported.problems.${code}`, { count, kind: params?.kind ?? '' }, code),
    error: (code: string): string => known(`error.${code}`, {}, code),
  }
}
export type Sentences = ReturnType<typeof sentencesIn>
