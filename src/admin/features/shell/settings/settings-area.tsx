import { IconArrowLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, Outlet, useParams, useRouterState } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { appQuery } from '#admin/lib/queries.ts'
import { useCanInApp, useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { useOpenSpace } from '../use-open-space.ts'
import { SectionList } from './section-list.tsx'
import { appSections, installationSections, type SettingsSection, spaceSections } from './sections.ts'
import classes from './settings-area.module.css'

/** The settings of the space, below `/{p}/-`. */
export function SpaceSettings() {
  const t = useTranslations('shell')
  const { p = '' } = useParams({ strict: false })
  const can = useCanInSpace(p)
  return (
    <Area
      title={t('settings')}
      name={useOpenSpace()?.name}
      overview="/$p/-"
      params={{ p }}
      sections={spaceSections.filter(({ right }) => right === undefined || can(right))}
    />
  )
}

/** The settings of the app, below `/{p}/{a}/-`. */
export function AppSettings() {
  const t = useTranslations('shell')
  const { p = '', a = '' } = useParams({ strict: false })
  const can = useCanInApp(p, a)
  return (
    <Area
      title={t('appSettings')}
      name={useQuery(appQuery(p, a)).data?.name}
      overview="/$p/$a/-"
      params={{ p, a }}
      sections={appSections.filter(({ right }) => right === undefined || can(right))}
    />
  )
}

/** The settings of the installation, below `/admin`. */
export function InstallationSettings() {
  const t = useTranslations('shell')
  return <Area title={t('installation')} overview="/admin" params={{}} sections={installationSections} />
}

interface AreaProps {
  title: string
  /** The name of the space or app. */
  name?: string | undefined
  /** Path of the list as a separate page. */
  overview: NonNullable<LinkProps['to']>
  params: Record<string, string>
  /** The sections that the user may open. */
  sections: readonly SettingsSection<unknown>[]
}

/**
 * A settings area: the list as a separate page, or the open section next to the list. On narrow screens the section has
 * only a link to the page with the list.
 */
function Area({ title, name, overview, params, sections }: AreaProps) {
  const t = useTranslations('settings')
  const depth = overview.split('/').length
  const isOverview = useRouterState({
    select: ({ location }) => location.pathname.replace(/\/$/, '').split('/').length === depth,
  })
  if (isOverview)
    return (
      <Page title={title} description={name}>
        <SectionList wide label={title} sections={sections} params={params} />
      </Page>
    )
  return (
    <div className={classes.area}>
      <div className={classes.side}>
        <a className={classes.skip} href="#section">
          {t('skip')}
        </a>
        <Link
          {...({ to: overview, params } as LinkProps)}
          activeOptions={{ exact: true }}
          className={classes.title}
        >
          {title}
        </Link>
        <p className={classes.name}>{name}</p>
        <SectionList label={title} sections={sections} params={params} />
      </div>
      <div id="section" tabIndex={-1} className={classes.section}>
        <Link
          {...({ to: overview, params } as LinkProps)}
          activeOptions={{ exact: true }}
          className={classes.back}
        >
          <IconArrowLeft size={16} aria-hidden="true" />
          {title}
        </Link>
        <Outlet />
      </div>
    </div>
  )
}
