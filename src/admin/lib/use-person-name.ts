import { useTranslations } from 'use-intl'

/**
 * Returns a function for the displayed name of a person, whose name may be empty. The function returns null without a
 * person.
 */
export function usePersonName(): (person: { name: string | null } | null | undefined) => string | null {
  const t = useTranslations('common')
  return (person) => (person ? person.name || t('nameless') : null)
}
