import { useTranslations } from 'use-intl'

/**
 * Returns a function that returns the displayed name of a user: a placeholder for an empty name, null without a user.
 */
export function usePersonName(): (person: { name: string | null } | null | undefined) => string | null {
  const t = useTranslations('common')
  return (person) => (person ? person.name || t('nameless') : null)
}
