import { useTranslations } from 'use-intl'
import type { Move } from '#shared/contract/moves.ts'

/** What a move is called: as its app, or the first of several, or, before that is known, as its file. */
export function useMoveName(): (move: Move) => string {
  const t = useTranslations('moves')
  return ({ app, apps, fileName }) => {
    const [first, ...others] = apps
    if (first) return t('severalApps', { first: first.name, count: others.length })
    return app?.name ?? fileName
  }
}

/** The apps that a move makes, or has made. */
export function appsOf({ app, apps }: Move): { uid: string; name: string }[] {
  if (apps.length > 0) return apps.filter(({ chosen }) => chosen)
  return app ? [app] : []
}
