import { Button, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { appQuery, modelsQuery } from '#admin/lib/queries.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import { MayImport } from './may-import.tsx'
import { MoveSections } from './move-page.tsx'
import { IntoApp } from './move-place.ts'
import { MoveState } from './move-state.tsx'
import classes from './moves.module.css'
import { importsQuery, moveQuery } from './moves.queries.ts'
import { ChooseArchive } from './upload/choose-archive.tsx'
import { SourcesSection } from './upload/sources-section.tsx'

/** `/{p}/{a}/-/import`: the imports into an existing app. */
export function AppImportPage() {
  const t = useTranslations('moves.into')
  const { p, a } = appRoute.useParams()
  const { data: models } = useQuery(modelsQuery(p, a))
  return (
    <Allowed back={{ to: `/${p}/${a}/-/settings`, label: t('backToSettings') }}>
      <Section title={t('link')} description={t('text')}>
        <MayImport p={p} a={a} makesModels={models?.length === 0}>
          <ChooseArchive p={p} into={a} label={t('chooseFile')} />
        </MayImport>
      </Section>
      <Imports p={p} a={a} />
      <SourcesSection />
    </Allowed>
  )
}

function Imports({ p, a }: { p: string; a: string }) {
  const t = useTranslations('moves.into')
  const format = useFormatter()
  const nameOf = usePersonName()
  const { data: moves, error, refetch } = useQuery(importsQuery(p, a))
  if (!moves)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList rows={3} />
  if (moves.length === 0) return null
  return (
    <Section title={t('past')}>
      <ul className={classes.past} aria-label={t('past')}>
        {moves.map((move) => (
          <li key={move._id}>
            <Link to="/$p/$a/-/import/$move" params={{ p, a, move: move._id }} className={classes.link ?? ''}>
              {move.fileName}
            </Link>
            <MoveState move={move} />
            <Text size="sm" c="dimmed" span>
              {format.dateTime(new Date(move.createdAt), { dateStyle: 'medium', timeStyle: 'short' })}
              {move.createdBy && ` · ${nameOf(move.createdBy)}`}
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const route = getRouteApi('/signed-in/$p/$a/settings/-/import/$move')

/** `/{p}/{a}/-/import/{move}` */
export function OneImportPage() {
  const t = useTranslations('moves.into')
  const { p, a, move: id } = route.useParams()
  return (
    <IntoApp value={a}>
      <Allowed back={{ to: `/${p}/${a}/-/import`, label: t('back') }}>
        <OneImport p={p} a={a} id={id} />
      </Allowed>
    </IntoApp>
  )
}

function OneImport({ p, a, id }: { p: string; a: string; id: string }) {
  const { data: move, error, refetch } = useQuery(moveQuery({ p, a }, id))
  const queryClient = useQueryClient()
  const state = move?.state
  // An import changes the app's models and documents, so all cached data of the space is invalidated.
  useEffect(() => {
    if (state === 'accepted') void queryClient.invalidateQueries({ queryKey: ['space', p] })
  }, [queryClient, p, state])
  if (!move) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {move.fileName}
      </Text>
      <MoveSections p={p} move={move} />
    </>
  )
}

/** The frame of the page. Shows its content only to users who may manage the app. */
function Allowed({ back, children }: { back: { to: string; label: string }; children: ReactNode }) {
  const t = useTranslations('moves.into')
  const { p, a } = appRoute.useParams()
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const can = useCanInApp(p, a)
  return (
    <Page
      title={t('of')}
      description={app.name}
      actions={
        <Button variant="default" component={Link} {...{ to: back.to }}>
          {back.label}
        </Button>
      }
    >
      {can('app.manage') ? (
        children
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}
