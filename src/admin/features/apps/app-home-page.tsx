import { Button, Code, Text } from '@mantine/core'
import { IconFileText, IconLock, IconPlus, IconSettings, IconTable, IconUserPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { appQuery, appRolesQuery, appsQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { AppIcon } from '#admin/ui/app-icon.tsx'
import { CardGrid, CardItem } from '#admin/ui/card-grid.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import classes from './app-home-page.module.css'
import { ModelCardMenu } from './model-card-menu.tsx'

/** `/{p}/{a}`: an app with its models. */
export function AppHomePage() {
  const t = useTranslations('apps')
  const { p, a } = appRoute.useParams()
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
          {can('app.manage') && (
            <Button
              variant="default"
              leftSection={<IconSettings size={16} />}
              renderRoot={(props) => <Link {...props} to="/$p/$a/-/settings" params={{ p, a }} />}
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
      {can('document.read') ? <Models p={p} a={a} newModel={newModel} /> : <Join p={p} a={a} />}
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

/** For members of the space who have not joined the app. */
function Join({ p, a }: { p: string; a: string }) {
  const t = useTranslations('apps')
  const queryClient = useQueryClient()
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const join = useMutation({
    mutationFn: () => api('POST /api/project/{p}/app/{a}/members/join', { params: { p, a } }),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: appQuery(p, a).queryKey }),
        queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey }),
      ])
      toast.success(t('joined'))
    },
  })
  const { visibility, defaultRole } = app.accessSettings
  const roles = useRoleNames(useQuery(appRolesQuery(p, a)).data)
  if (visibility === 'private') {
    return (
      <EmptyState
        icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
        title={t('private.title')}
        text={t('private.text')}
      />
    )
  }
  return (
    <EmptyState
      icon={<IconUserPlus size={36} stroke={1.4} aria-hidden="true" />}
      title={t('join.title')}
      text={t('join.text', { role: roles.nameOf(defaultRole) })}
      action={
        <Button loading={join.isPending} onClick={() => join.mutate()}>
          {t('join.action')}
        </Button>
      }
    />
  )
}
