import { Badge, Button, Code, Group, Text } from '@mantine/core'
import { IconApps, IconLock, IconPlus } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { appsQuery, spaceQuery } from '#admin/lib/queries.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { AppIcon } from '#admin/ui/app-icon.tsx'
import { CardGrid, CardItem } from '#admin/ui/card-grid.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { AppCardMenu } from './app-card-menu.tsx'
import { WebhookProblems } from './webhook-problems.tsx'

/** `/{p}`: a space with its apps. */
export function SpaceHomePage() {
  const t = useTranslations('apps')
  const { p } = spaceRoute.useParams()
  const { data: space } = useSuspenseQuery(spaceQuery(p))
  const { data: apps } = useSuspenseQuery(appsQuery(p))
  const can = useCanInSpace(p)
  const newApp = can('app.create') && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link {...props} to="/$p/-/apps/new" params={{ p }} />}
    >
      {t('new')}
    </Button>
  )

  return (
    <Page title={space.name} actions={apps.length > 0 && newApp}>
      {can('webhook.manage') && <WebhookProblems p={p} />}
      {apps.length === 0 ? (
        <EmptyState
          icon={<IconApps size={36} stroke={1.4} aria-hidden="true" />}
          title={can('app.create') ? t('empty.title') : t('empty.titleForMembers')}
          text={can('app.create') ? t('empty.text') : t('empty.textForMembers')}
          action={
            newApp && (
              <Group justify="center" gap="sm">
                {newApp}
                <Button variant="subtle" component={Link} to={`/${p}/-/moves`}>
                  {t('moveIn')}
                </Button>
              </Group>
            )
          }
        />
      ) : (
        <CardGrid label={t('title')}>
          {apps.map((app, index) => (
            <CardItem
              key={app.uid}
              cover={app.cover?.value}
              icon={<AppIcon app={app} size={24} />}
              title={(className) => (
                <Link className={className} to="/$p/$a" params={{ p, a: app.uid }} preload="intent">
                  {app.name}
                </Link>
              )}
              description={app.description && <Text size="sm">{app.description}</Text>}
              meta={
                <>
                  <Code>{app.uid}</Code>
                  {app.accessSettings.visibility === 'private' && (
                    <Badge variant="outline" color="gray" leftSection={<IconLock size={12} />} tt="none">
                      {t('visibility.private')}
                    </Badge>
                  )}
                  {!app.joined && <span>{t('notJoined')}</span>}
                </>
              }
              menu={<AppCardMenu p={p} apps={apps} index={index} />}
            />
          ))}
        </CardGrid>
      )}
    </Page>
  )
}
