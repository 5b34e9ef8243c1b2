import { Button, Code } from '@mantine/core'
import { IconPlus, IconStack2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spacesQuery } from '#admin/lib/queries.ts'
import { useAccount } from '#admin/lib/session.ts'
import { CardGrid, CardItem } from '#admin/ui/card-grid.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { firstCharacter } from '#shared/unicode.ts'

/** `/spaces`: the spaces of the account. */
export function SpacesPage() {
  const t = useTranslations('spaces')
  const { data, error, refetch } = useQuery(spacesQuery())
  const account = useAccount()
  const spaces = data?.projects
  const newSpace = data?.mayCreateSpaces && (
    <Button component={Link} to="/spaces/new" leftSection={<IconPlus size={16} />}>
      {t('new')}
    </Button>
  )
  return (
    <Page title={t('title')} actions={spaces && spaces.length > 0 ? newSpace : null}>
      {spaces === undefined && error && <ErrorState error={error} retry={() => void refetch()} />}
      {spaces === undefined && !error && <SkeletonList rows={3} height={84} />}
      {spaces?.length === 0 && (
        <EmptyState
          icon={<IconStack2 size={36} stroke={1.4} aria-hidden="true" />}
          title={newSpace ? t('empty.title') : t('noneYet.title')}
          text={newSpace ? t('empty.text') : t('noneYet.text', { email: account?.email ?? '' })}
          action={newSpace}
        />
      )}
      {spaces && spaces.length > 0 && (
        <CardGrid label={t('title')}>
          {spaces.map((space) => (
            <CardItem
              key={space.uid}
              icon={<span aria-hidden="true">{firstCharacter(space.name)}</span>}
              title={(className) => (
                <Link className={className} to="/$p" params={{ p: space.uid }} preload="intent">
                  {space.name}
                </Link>
              )}
              meta={<Code>{space.uid}</Code>}
            />
          ))}
        </CardGrid>
      )}
    </Page>
  )
}
