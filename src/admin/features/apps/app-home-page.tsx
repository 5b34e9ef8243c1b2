import { Button, Code, Text } from '@mantine/core'
import { IconFileText, IconPlus, IconSettings, IconTable, IconUsers } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { appQuery, modelsQuery } from '#admin/lib/queries.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { AppIcon } from '#admin/ui/app-icon.tsx'
import { CardGrid, CardItem } from '#admin/ui/card-grid.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import classes from './app-home-page.module.css'
import { ModelCardMenu } from './model-card-menu.tsx'

/** Loaded lazily, because only this part of the page needs the texts for editing. */
const Filling = lazyPart(async () => (await import('./filling.tsx')).Filling, loadEditingTexts)

/** `/{p}/{a}`: an app with its models. */
export function AppHomePage() {
  const t = useTranslations('apps')
  const shell = useTranslations('shell')
  const { p, a } = appRoute.useParams()
  const { filling } = useSearch({ strict: false })
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const can = useCanInApp(p, a)
  const newModel = can('model.manage') && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link {...props} to="/$p/$a/-/models/new" params={{ p, a }} />}
    >
      {t('newModel')}
    </Button>
  )
  return (
    <Page
      title={app.name}
      icon={<AppIcon app={app} size={26} />}
      description={app.description}
      actions={
        <>
          {can('document.read') && (
            <Button
              variant="default"
              leftSection={<IconUsers size={16} />}
              renderRoot={(props) => <Link {...props} to="/$p/$a/-/members" params={{ p, a }} />}
            >
              {shell('members')}
            </Button>
          )}
          {can('app.manage') && (
            <Button
              variant="default"
              leftSection={<IconSettings size={16} />}
              renderRoot={(props) => <Link {...props} to="/$p/$a/-" params={{ p, a }} />}
            >
              {t('settings')}
            </Button>
          )}
          {can('model.manage') && (
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/$p/$a/-/custom-types" params={{ p, a }} />}
            >
              {t('customTypes')}
            </Button>
          )}
          {newModel}
        </>
      }
    >
      {app.cover && <img className={classes.cover} src={app.cover.value} alt="" />}
      {filling && (
        <Suspense>
          <Filling key={filling} p={p} a={a} job={filling} />
        </Suspense>
      )}
      <Models p={p} a={a} newModel={newModel} />
    </Page>
  )
}

function Models({ p, a, newModel }: { p: string; a: string; newModel: React.ReactNode }) {
  const t = useTranslations('apps')
  const can = useCanInApp(p, a)
  const { data: models, error, refetch } = useQuery(modelsQuery(p, a))
  if (!models)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList height={92} />
  if (models.length === 0) {
    return (
      <EmptyState
        icon={<IconTable size={36} stroke={1.4} aria-hidden="true" />}
        title={t('noModels.title')}
        text={can('model.manage') ? t('noModels.text') : t('noModels.textForMembers')}
        action={newModel}
      />
    )
  }
  return (
    <CardGrid label={t('models')}>
      {models.map((model, index) => (
        <CardItem
          key={model.uid}
          icon={<IconFileText size={22} stroke={1.6} aria-hidden="true" />}
          title={(className) => (
            <Link className={className} to="/$p/$a/$m" params={{ p, a, m: model.uid }} preload="intent">
              {model.name}
            </Link>
          )}
          description={model.description && <Text size="sm">{model.description}</Text>}
          meta={
            <>
              <Code>{model.uid}</Code>
              <span>{t('documents', { count: model.documentCount })}</span>
              <span>{t('published', { count: model.publishedCount })}</span>
            </>
          }
          menu={can('model.manage') && <ModelCardMenu p={p} a={a} models={models} index={index} />}
        />
      ))}
    </CardGrid>
  )
}
