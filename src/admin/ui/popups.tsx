import { useTranslations } from 'use-intl'

/**
 * The shared portal for menus, option lists and windows. Mantine finds the portal by the attribute. It is a labelled
 * section, so that popups are inside a landmark.
 */
export function Popups() {
  const t = useTranslations('common')
  return <section aria-label={t('popups')} data-mantine-shared-portal-node="true" />
}
