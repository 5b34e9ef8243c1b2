import { useTranslations } from 'use-intl'

/** Returns the name to show of a person, who may have left it empty; null for nobody. */
export function usePersonName(): (person: { name: string | null } | null | undefined) => string | null {
  const t = useTranslations('common')
  return (person) => (person ? person.name || t('nameless') : null)
}
