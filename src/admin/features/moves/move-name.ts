import { useTranslations } from 'use-intl'
import type { Move } from '#shared/contract/moves.ts'

/** The apps that a move makes, or has made. */
export function appsOf({ app, apps }: Move): { uid: string; name: string }[] {
  if (apps.length > 0) return apps.filter(({ chosen }) => chosen)
  return app ? [app] : []
}

/** What a move is called: as its app, or the first of several, or, before that is known, as its file. */
export function useMoveName(): (move: Move) => string {
  const t = useTranslations('moves')
  return (move) => {
    const [first, ...others] = appsOf(move)
    if (!first) return move.fileName
    return others.length > 0 ? t('severalApps', { first: first.name, count: others.length }) : first.name
  }
}
