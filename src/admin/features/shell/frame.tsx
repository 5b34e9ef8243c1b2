import { ActionIcon } from '@mantine/core'
import { IconMenu2 } from '@tabler/icons-react'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { IntlProvider, useLocale, useTranslations } from 'use-intl'
import { openSpaceZone } from '#admin/base/space-zone.ts'
import { useCompanions } from '#admin/lib/companions.ts'
import { giveFocusBack } from '#admin/lib/focus-back.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { useShortcut } from '#admin/lib/shortcuts.ts'
import { useStoredFlag } from '#admin/lib/stored-flag.ts'
import { Mark } from '#admin/ui/mark.tsx'
import classes from './frame.module.css'
import { Rail } from './rail.tsx'
import { openShortcutList } from './shortcut-list.tsx'
import { useOpenSpace } from './use-open-space.ts'

const RailDrawer = lazyPart(async () => (await import('./rail-drawer.tsx')).RailDrawer)

/**
 * The frame of every page for signed-in users: the page, and the navigation rail at the left (a drawer on small
 * screens).
 */
export function Frame() {
  const t = useTranslations('shell')
  const [collapsed, setCollapsed] = useStoredFlag('imori-rail-collapsed')
  // `drawer` is null until the drawer is first opened, so that its code is not loaded before.
  const menuButton = useRef<HTMLButtonElement>(null)
  const [drawer, setDrawer] = useState<boolean | null>(null)
  const space = useOpenSpace()
  const locale = useLocale()
  // The time zone is set before the pages render, because they use it.
  const timeZone = openSpaceZone(space?.timeZone)
  const companions = useCompanions()
  useShortcut('?', t('showShortcuts'), () => openShortcutList(t('shortcuts')))
  const path = useRouterState({ select: (state) => state.location.pathname })

  function closeDrawer() {
    setDrawer(false)
    setTimeout(() => giveFocusBack(menuButton.current), 30)
  }

  // Closes the drawer after navigation.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the path changes.
  useEffect(() => setDrawer((before) => before && false), [path])

  // The focused element may have been removed with the previous page. The focus then moves to the new page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the path changes.
  useEffect(() => {
    const timer = setTimeout(() => giveFocusBack(null), 300)
    return () => clearTimeout(timer)
  }, [path])

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
          ref={menuButton}
          className={classes.barButton}
          variant="transparent"
          size={40}
          aria-label={t('openMenu')}
          aria-expanded={drawer ?? false}
          onClick={() => setDrawer(true)}
        >
          <IconMenu2 size={22} />
        </ActionIcon>
        <div style={barMark}>
          <Mark size={26} />
        </div>
        <div className={classes.barTitle}>{space?.name ?? 'Imori'}</div>
      </header>
      {drawer !== null && (
        <Suspense fallback={null}>
          <RailDrawer opened={drawer} close={closeDrawer} />
        </Suspense>
      )}
      <main id="main" tabIndex={-1} className={classes.main}>
        <IntlProvider locale={locale} timeZone={timeZone}>
          <Outlet />
        </IntlProvider>
      </main>
      {companions.map((Companion, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are only added at the end.
        <Companion key={index} />
      ))}
    </div>
  )
}

const barMark = {
  display: 'flex',
  '--imori-mark-back': '#dfe7e4',
  '--imori-mark-eye': '#17201e',
} as React.CSSProperties
