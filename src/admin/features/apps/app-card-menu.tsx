import { Menu } from '@mantine/core'
import { IconSettings } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import type { App } from '#shared/contract/apps.ts'
import { CardMenu } from './card-menu.tsx'
import { useReorder } from './use-reorder.ts'

/**
 * The menu of an app in the list: opens its settings and moves it. Renders nothing for users who may not reorder apps.
 */
export function AppCardMenu({ p, apps, index }: { p: string; apps: App[]; index: number }) {
  const t = useTranslations('apps')
  const can = useCanInSpace(p)
  const reorder = useReorder<App>(appsQuery(p).queryKey, (order) =>
    api('POST /api/project/{p}/app:updateOrder', {
      params: { p },
      body: { appIds: order.map((app) => app.uid) },
    }),
  )
  const app = apps[index]
  if (!app || !can('app.order')) return null
  return (
    <CardMenu name={app.name} items={apps} index={index} onReorder={reorder.mutate}>
      <Menu.Item
        leftSection={<IconSettings size={16} />}
        renderRoot={(props) => <Link {...props} to="/$p/$a/-/settings" params={{ p, a: app.uid }} />}
      >
        {t('settings')}
      </Menu.Item>
    </CardMenu>
  )
}
