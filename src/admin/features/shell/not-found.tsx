import { Button, Group } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { uidPattern } from '#shared/identifiers.ts'
import { useOpenSpace } from './use-open-space.ts'

const AskForAccess = lazy(async () => {
  const [{ AskForAccess: component }] = await Promise.all([
    loadScript(() => import('./ask-for-access.tsx')),
    loadEditingTexts(),
  ])
  return { default: component }
})

/** There is nothing at this address, or nothing the caller may know of. */
export function NotFound() {
  const t = useTranslations('shell.notFound')
  const space = useOpenSpace()
  const { a } = useParams({ strict: false })
  const apps = useQuery({ ...appsQuery(space?.uid ?? ''), enabled: space !== undefined }).data
  // The server does not tell a private app from none: neither do we.
  // Below `-` lie pages of our own, and no uid looks like it.
  const isUid = a !== undefined && uidPattern.test(a)
  const isApp = isUid && apps !== undefined && !apps.some((app) => app.uid === a)
  return (
    <Page title={t('title')} width="narrow">
      <EmptyState
        icon={<IconMapOff size={36} stroke={1.4} aria-hidden="true" />}
        title={isApp ? t('appHeading') : t('heading')}
        text={isApp ? t('appText') : t('text')}
        action={
          <Group justify="center" gap="sm">
            {isApp && space && (
              <Suspense>
                <AskForAccess key={a} p={space.uid} a={a} />
              </Suspense>
            )}
            {space && (
              <Button renderRoot={(props) => <Link {...props} to="/$p" params={{ p: space.uid }} />}>
                {t('toSpace', { name: space.name })}
              </Button>
            )}
            <Button component={Link} to="/spaces" variant="default">
              {t('toSpaces')}
            </Button>
          </Group>
        }
      />
    </Page>
  )
}
