import { ActionIcon, Menu } from '@mantine/core'
import { IconArrowLeft, IconArrowRight, IconDots, IconSettings } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import type { App } from '#shared/contract/apps.ts'
import { moved } from './moved.ts'
import { useReorder } from './use-reorder.ts'

/** What else can be done with an app of the list: its place in the order, its settings. */
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
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('actionsOf', { name: app.name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconArrowLeft size={16} />}
          disabled={index === 0}
          onClick={() => reorder.mutate(moved(apps, index, -1))}
        >
          {t('moveForward')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowRight size={16} />}
          disabled={index === apps.length - 1}
          onClick={() => reorder.mutate(moved(apps, index, 1))}
        >
          {t('moveBack')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconSettings size={16} />}
          renderRoot={(props) => <Link {...props} to="/$p/$a/settings" params={{ p, a: app.uid }} />}
        >
          {t('settings')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
