import { Button, Group } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { usePreview } from '#admin/lib/preview.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { uidPattern } from '#shared/identifiers.ts'
import { useOpenSpace } from './use-open-space.ts'

const AskForAccess = lazyPart(
  async () => (await import('./ask-for-access.tsx')).AskForAccess,
  loadEditingTexts,
)

/** Shown if nothing exists at this URL, or only something that the caller must not see. */
export function NotFound() {
  const t = useTranslations('shell.notFound')
  const space = useOpenSpace()
  const { p, a, m, _splat } = useParams({ strict: false })
  const can = useCanInSpace(space?.uid ?? '')
  const preview = usePreview()
  const apps = useQuery({ ...appsQuery(space?.uid ?? ''), enabled: space !== undefined }).data
  const isUid = a !== undefined && uidPattern.test(a)
  const isApp = isUid && apps !== undefined && !apps.some((app) => app.uid === a)
  // The server does not distinguish a hidden app from a missing one, so this page does not either.
  const mayBeHidden = isApp && !can('document.read')
  /**
   * Whether the URL is below `/admin`, or below `-` of a space, app or model that can be opened. Such pages are built
   * in, so the URL names no missing app or model.
   */
  const isOwn = _splat !== undefined && !isApp && (p === undefined || space !== undefined)
  const kind = isOwn ? 'below' : mayBeHidden ? 'app' : isApp ? 'noApp' : 'page'
  return (
    <Page title={t('title')} width="narrow">
      <EmptyState
        icon={<IconMapOff size={36} stroke={1.4} aria-hidden="true" />}
        title={t(`${kind}.heading`)}
        text={t(`${kind}.text`)}
        action={
          <Group justify="center" gap="sm">
            {mayBeHidden && !preview && space && (
              <Suspense>
                <AskForAccess key={a} p={space.uid} a={a} />
              </Suspense>
            )}
            {isOwn && m === undefined && (
              <Button renderRoot={(props) => <Link {...props} {...(wayToSettings(p, a) as LinkProps)} />}>
                {t('toSettings')}
              </Button>
            )}
            {space && (
              <Button
                variant={isOwn ? 'default' : 'filled'}
                renderRoot={(props) => <Link {...props} to="/$p" params={{ p: space.uid }} />}
              >
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

/** Returns a link to the settings of the installation, space or app that the URL belongs to. */
const wayToSettings = (p: string | undefined, a: string | undefined) =>
  p === undefined
    ? { to: '/admin' }
    : a === undefined
      ? { to: '/$p/-', params: { p } }
      : { to: '/$p/$a/-', params: { p, a } }
