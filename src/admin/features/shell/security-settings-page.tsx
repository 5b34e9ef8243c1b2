import type { QueryKey } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { SettingsPage, type SettingsPageProps } from '#admin/ui/settings-page.tsx'

type Props<Data, Key extends QueryKey> = Omit<SettingsPageProps<Data, Key>, 'forbidden'> & { p: string }

/** A settings page about access to a space. Users without the right `security.manage` see a message instead. */
export function SecuritySettingsPage<Data, Key extends QueryKey>({ p, ...page }: Props<Data, Key>) {
  const t = useTranslations('security')
  const can = useCanInSpace(p)
  return (
    <SettingsPage
      {...page}
      forbidden={!can('security.manage') && { title: t('forbidden'), text: t('forbiddenText') }}
    />
  )
}
