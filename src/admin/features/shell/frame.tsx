import { ActionIcon, Drawer } from '@mantine/core'
import { IconMenu2 } from '@tabler/icons-react'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useStoredFlag } from '#admin/lib/stored-flag.ts'
import { Mark } from '#admin/ui/mark.tsx'
import classes from './frame.module.css'
import { Rail } from './rail.tsx'
import { useOpenSpace } from './use-open-space.ts'

/** The frame of every page for signed-in people: the rail at the left (a drawer on small screens) and the page. */
export function Frame() {
  const t = useTranslations('shell')
  const [collapsed, setCollapsed] = useStoredFlag('imori-rail-collapsed')
  const [drawer, setDrawer] = useState(false)
  const space = useOpenSpace()
  const path = useRouterState({ select: (state) => state.location.pathname })

  // A tap on a link of the drawer leads to a page: the drawer is done.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what is waited for.
  useEffect(() => setDrawer(false), [path])

  return (
    <div className={classes.frame} data-collapsed={collapsed || undefined}>
      <a className={classes.skip} href="#main">
        {t('skip')}
      </a>
      <aside className={classes.side}>
        <Rail collapsed={collapsed} onCollapse={setCollapsed} />
      </aside>
      <header className={classes.bar}>
        <ActionIcon
          className={classes.barButton}
          variant="transparent"
          size={40}
          aria-label={t('openMenu')}
          aria-expanded={drawer}
          onClick={() => setDrawer(true)}
        >
          <IconMenu2 size={22} />
        </ActionIcon>
        <div style={barMark}>
          <Mark size={26} />
        </div>
        <div className={classes.barTitle}>{space?.name ?? 'Imori'}</div>
      </header>
      <Drawer.Root
        opened={drawer}
        onClose={() => setDrawer(false)}
        size={280}
        transitionProps={{ duration: 100 }}
      >
        <Drawer.Overlay color="#000" backgroundOpacity={0.3} />
        <Drawer.Content aria-label={t('navigation')} className={classes.drawer}>
          <Rail collapsed={false} />
        </Drawer.Content>
      </Drawer.Root>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
    </div>
  )
}

const barMark = {
  display: 'flex',
  '--imori-mark-back': '#dfe7e4',
  '--imori-mark-eye': '#17201e',
} as React.CSSProperties
