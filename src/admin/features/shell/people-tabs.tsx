import { Tabs } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { useCanInApp, useCanInSpace } from '#admin/lib/use-can.ts'
import classes from './people-tabs.module.css'

type Tab = 'members' | 'invitations' | 'requests' | 'roles'

/** The pages about people, of a space or of one of its apps (`a`), of those that the reader may see. */
export function PeopleTabs({ p, a }: { p: string; a?: string }) {
  const t = useTranslations('members.tabs')
  const inSpace = useCanInSpace(p)
  const inApp = useCanInApp(p, a)
  const path = useRouterState({ select: (state) => state.location.pathname })
  const manages = a === undefined ? inSpace('member.manage') : inApp('app.manage')
  const tabs: Tab[] = [
    'members',
    ...(manages ? (['invitations'] as const) : []),
    ...(manages && a !== undefined ? (['requests'] as const) : []),
    'roles',
  ]
  return (
    <Tabs value={tabs.find((tab) => path.endsWith(`/-/${tab}`)) ?? 'members'} mb="lg">
      <Tabs.List aria-label={t('label')} className={classes.list ?? ''}>
        {tabs.map((tab) => (
          <Tabs.Tab
            key={tab}
            value={tab}
            renderRoot={(props) =>
              a === undefined ? (
                <Link {...props} to={addresses.space[tab]} params={{ p }} />
              ) : (
                <Link {...props} to={addresses.app[tab]} params={{ p, a }} />
              )
            }
          >
            {t(tab)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}

const addresses = {
  space: {
    members: '/$p/-/members',
    invitations: '/$p/-/invitations',
    requests: '/$p/-/members',
    roles: '/$p/-/roles',
  },
  app: {
    members: '/$p/$a/-/members',
    invitations: '/$p/$a/-/invitations',
    requests: '/$p/$a/-/requests',
    roles: '/$p/$a/-/roles',
  },
} as const
