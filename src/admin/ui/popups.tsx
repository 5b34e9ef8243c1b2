import { useTranslations } from 'use-intl'

/** Where menus, lists of options and windows appear (Mantine looks for the attribute): a landmark like the page's own. */
export function Popups() {
  const t = useTranslations('common')
  return <section aria-label={t('popups')} data-mantine-shared-portal-node="true" />
}
