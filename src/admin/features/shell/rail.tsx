import { Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import {
  IconFileText,
  IconHome,
  IconInbox,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconPhoto,
  IconPlus,
  IconSettings,
  IconStack2,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import {
  Link,
  type LinkProps,
  type StaticDataRouteOption,
  useMatches,
  useParams,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { appsQuery, formsQuery, modelsQuery, spacesQuery } from '#admin/lib/queries.ts'
import { useCanInApp, useCanInSpace } from '#admin/lib/use-can.ts'
import { AppIcon } from '#admin/ui/app-icon.tsx'
import type { Form } from '#shared/contract/forms.ts'
import { AccountMenu } from './account-menu.tsx'
import classes from './rail.module.css'
import { SpaceSwitcher } from './space-switcher.tsx'
import { useOpenSpace } from './use-open-space.ts'

interface RailProps {
  collapsed: boolean
  /** Omitted if the rail cannot be collapsed (in the drawer). */
  onCollapse?: (next: boolean) => void
}

/** The navigation rail: the space, its apps with the models of the open app, the settings, and the account menu. */
export function Rail({ collapsed, onCollapse }: RailProps) {
  const t = useTranslations('shell')
  const { p, a } = useParams({ strict: false })
  const space = useOpenSpace()
  const mayCreateSpaces = useQuery(spacesQuery()).data?.mayCreateSpaces
  const Fold = collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse
  return (
    <div className={classes.rail} data-collapsed={collapsed || undefined}>
      <div className={classes.top}>
        <SpaceSwitcher collapsed={collapsed} />
      </div>
      <nav className={classes.nav} aria-label={t('navigation')}>
        {p === undefined || !space ? (
          <ul>
            <RailLink
              collapsed={collapsed}
              to="/spaces"
              exact
              label={t('spaces')}
              icon={<IconStack2 size={18} />}
            />
            {mayCreateSpaces && (
              <RailLink
                collapsed={collapsed}
                to="/spaces/new"
                label={t('newSpace')}
                icon={<IconPlus size={18} />}
              />
            )}
          </ul>
        ) : (
          <SpaceLinks p={p} a={a} collapsed={collapsed} />
        )}
      </nav>
      <div className={classes.bottom}>
        <AccountMenu collapsed={collapsed} />
        {onCollapse && (
          <Tooltip label={collapsed ? t('expand') : t('collapse')} position="right">
            <UnstyledButton
              className={classes.fold}
              aria-label={collapsed ? t('expand') : t('collapse')}
              onClick={() => onCollapse(!collapsed)}
            >
              <Fold size={18} />
            </UnstyledButton>
          </Tooltip>
        )}
      </div>
    </div>
  )
}

function SpaceLinks({ p, a, collapsed }: { p: string; a: string | undefined; collapsed: boolean }) {
  const t = useTranslations('shell')
  const apps = useQuery(appsQuery(p)).data ?? []
  const can = useCanInSpace(p)
  return (
    <>
      <ul>
        <RailLink
          collapsed={collapsed}
          to="/$p"
          params={{ p }}
          exact
          label={t('home')}
          icon={<IconHome size={18} />}
        />
        {can('asset.read') && (
          <RailLink
            collapsed={collapsed}
            to="/$p/-/assets"
            params={{ p }}
            label={t('media')}
            icon={<IconPhoto size={18} />}
          />
        )}
        {can('form.read') && <FormsLink p={p} collapsed={collapsed} />}
      </ul>
      {apps.length > 0 && (
        <div className={classes.group}>
          <p className={classes.heading}>{t('apps')}</p>
          <ul>
            {apps.map((app) => (
              <RailLink
                key={app.uid}
                collapsed={collapsed}
                to="/$p/$a"
                params={{ p, a: app.uid }}
                exact
                label={app.name}
                icon={<AppIcon app={app} size={18} />}
              >
                {app.uid === a && !collapsed && <ModelLinks p={p} a={a} />}
              </RailLink>
            ))}
          </ul>
        </div>
      )}
      <div className={classes.group}>
        <ul>
          <RailLink
            collapsed={collapsed}
            to="/$p/-"
            params={{ p }}
            exact
            around="space"
            label={t('settings')}
            icon={<IconSettings size={18} />}
          />
        </ul>
      </div>
    </>
  )
}

/** Interval in ms at which the number of new submissions is loaded while the tab is visible. */
const newSubmissionsInterval = 60_000
const maxShownCount = 999

const countNew = (forms: readonly Form[]) => forms.reduce((sum, form) => sum + (form.newSubmissions ?? 0), 0)

/** The link to the forms, with the number of new submissions for members who may read them. */
function FormsLink({ p, collapsed }: { p: string; collapsed: boolean }) {
  const t = useTranslations('shell')
  const format = useFormatter()
  const { data: count = 0 } = useQuery({
    ...formsQuery(p),
    enabled: useCanInSpace(p)('submission.read'),
    select: countNew,
    refetchInterval: newSubmissionsInterval,
  })
  const shown = count > maxShownCount ? `${maxShownCount}+` : format.number(count)
  return (
    <RailLink
      collapsed={collapsed}
      to="/$p/-/forms"
      params={{ p }}
      label={t('forms')}
      icon={<IconInbox size={18} />}
      {...(count > 0 ? { badge: { shown, label: t('newSubmissions', { count: shown }) } } : {})}
    />
  )
}

/** The models of the open app for users who may read documents, and its settings for users who may manage it. */
function ModelLinks({ p, a }: { p: string; a: string }) {
  const t = useTranslations('shell')
  const can = useCanInApp(p, a)
  const { data: models } = useQuery({ ...modelsQuery(p, a), enabled: can('document.read') })
  return (
    <ul className={classes.models}>
      {models?.map((model) => (
        <RailLink
          key={model.uid}
          collapsed={false}
          to="/$p/$a/$m"
          params={{ p, a, m: model.uid }}
          label={model.name}
          icon={<IconFileText size={16} />}
        />
      ))}
      {can('app.manage') && (
        <RailLink
          collapsed={false}
          to="/$p/$a/-"
          params={{ p, a }}
          around="app"
          label={t('appSettings')}
          icon={<IconSettings size={16} />}
        />
      )}
    </ul>
  )
}

type RailLinkProps = Pick<LinkProps, 'to' | 'params'> & {
  collapsed: boolean
  label: string
  icon: ReactNode
  /** Whether the link is marked as current only on its own page, not on pages below it. */
  exact?: boolean
  /** The settings area on whose pages the link is marked as current. */
  around?: StaticDataRouteOption['settingsOf']
  /** A number at the end of the link, and its text for screen readers and tooltips. */
  badge?: { shown: string; label: string }
  children?: ReactNode
}

function RailLink(props: RailLinkProps) {
  const { collapsed, label, icon, exact = false, around, badge, children, to, params } = props
  const whole = badge ? `${label} (${badge.label})` : label
  const isAround = useMatches({
    select: (matches) =>
      around !== undefined && matches.some(({ staticData }) => staticData.settingsOf === around),
  })
  const link = (
    <Link
      {...({ to, params } as LinkProps)}
      className={classes.link}
      activeOptions={{ exact }}
      preload="intent"
      {...(collapsed ? { 'aria-label': whole } : {})}
      {...(isAround ? { 'aria-current': 'page' } : {})}
    >
      <span className={classes.icon}>{icon}</span>
      <span className={classes.name}>{label}</span>
      {badge && (
        <>
          <span className={classes.badge} aria-hidden="true">
            {badge.shown}
          </span>
          <VisuallyHidden> ({badge.label})</VisuallyHidden>
        </>
      )}
    </Link>
  )
  return (
    <li>
      {collapsed ? (
        <Tooltip label={whole} position="right">
          {link}
        </Tooltip>
      ) : (
        link
      )}
      {children}
    </li>
  )
}
