import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { isOffline, loadErrorText } from '#admin/lib/errors.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import classes from './page.module.css'

interface EmptyStateProps {
  icon: ReactNode
  title: string
  text?: ReactNode
  action?: ReactNode
  /** Whether this is the only content of the page. If so, its title is the `h1`. */
  whole?: boolean
}

/** The content of a list or page that has nothing to show. */
export function EmptyState({ icon, title, text, action, whole = false }: EmptyStateProps) {
  return (
    <div className={classes.centre}>
      <div className={classes.art}>{icon}</div>
      <Title order={whole ? 1 : 2} size="h2">
        {title}
      </Title>
      {text && (
        <Text component="p" c="dimmed" size="sm" mt={0}>
          {text}
        </Text>
      )}
      {action}
    </div>
  )
}

/**
 * The content for a failed load: the reason and a button to retry. Retries automatically when an unreachable server
 * answers again.
 */
export function ErrorState({ error, retry }: { error: unknown; retry: () => void }) {
  const t = useTranslations('common')
  useReconnect(isOffline(error), retry)
  return (
    <div className={classes.centre} role="alert">
      <IconAlertTriangle size={32} stroke={1.5} className={classes.art} aria-hidden="true" />
      <Title order={2}>{t('loadFailed')}</Title>
      <Text component="p" c="dimmed" size="sm" mt={0}>
        {loadErrorText(error)}
      </Text>
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={retry}>
        {t('retry')}
      </Button>
    </div>
  )
}

interface LoadProblemProps {
  /** Null while there is no error. */
  error: unknown
  retry: () => void
}

/**
 * A message for a list whose rows are shown although a refresh failed. Retries automatically when an unreachable server
 * answers again.
 */
export function LoadProblem({ error, retry }: LoadProblemProps) {
  const t = useTranslations('common')
  useReconnect(isOffline(error), retry)
  if (!error) return null
  return (
    <div className={classes.problem} role="alert">
      {loadErrorText(error)}
      <Button variant="default" size="xs" leftSection={<IconRefresh size={14} />} onClick={retry}>
        {t('retry')}
      </Button>
    </div>
  )
}

/** Placeholder rows while a list is loading. */
export function SkeletonList({ rows = 4, height = 56 }: { rows?: number; height?: number }) {
  const t = useTranslations('common')
  return (
    <Stack gap="sm" aria-busy="true" role="status" aria-label={t('loading')}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical and never move.
        <Skeleton key={row} height={height} />
      ))}
    </Stack>
  )
}
