import { useTranslations } from 'use-intl'
import type { Move } from '#shared/contract/moves.ts'
import { appsOf } from './kinds/apps-of-move.ts'

/**
 * Returns a function that names a migration: by its app, by the first of several apps and the number of the others, or
 * by the file until apps are known.
 */
export function useMoveName(): (move: Move) => string {
  const t = useTranslations('moves')
  return (move) => {
    const [first, ...others] = appsOf(move)
    if (!first) return move.fileName
    return others.length > 0 ? t('severalApps', { first: first.name, count: others.length }) : first.name
  }
}
