import { useTranslations } from 'use-intl'
import { useCanInApp, useCanInSpace } from '#admin/lib/use-can.ts'
import { PageTabs } from '#admin/ui/page-tabs.tsx'

type Tab = 'members' | 'invitations' | 'requests' | 'roles'

/** The pages about people, of a space or of one of its apps (`a`), of those that the reader may see. */
export function PeopleTabs({ p, a }: { p: string; a?: string }) {
  const t = useTranslations('members.tabs')
  const inSpace = useCanInSpace(p)
  const inApp = useCanInApp(p, a)
  const manages = a === undefined ? inSpace('member.manage') : inApp('app.manage')
  const tabs: Tab[] = [
    'members',
    ...(manages ? (['invitations'] as const) : []),
    ...(manages && a !== undefined ? (['requests'] as const) : []),
    'roles',
  ]
  const pages = a === undefined ? addresses.space : addresses.app
  return <PageTabs label={t('label')} pages={tabs.map((tab) => ({ to: pages[tab], label: t(tab) }))} />
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
