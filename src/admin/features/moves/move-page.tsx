import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { appsQuery } from '#admin/lib/queries.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Page } from '#admin/ui/page.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { appsOf } from './kinds/apps-of-move.ts'
import type { allSteps } from './kinds/kind-screen.ts'
import { screens } from './kinds/kinds.ts'
import { moveCalls, useMovePlace } from './move-place.ts'
import { isOfSpace } from './move-source.ts'
import { MoveState } from './move-state.tsx'
import classes from './moves.module.css'
import { moveQuery, movesKey } from './moves.queries.ts'
import { Refused } from './refused.tsx'
import { Uploading } from './upload/uploading.tsx'
import { Working } from './working.tsx'

const route = getRouteApi('/signed-in/$p/settings/-/moves/$move')

/** `/{p}/-/moves/{move}` */
export function MovePage() {
  const t = useTranslations('moves')
  const { p, move: id } = route.useParams()
  const { data: move, error, refetch } = useQuery(moveQuery({ p, a: null }, id))
  useFreshApps(p, move)
  if (!move)
    return (
      <Page title={t('title')}>
        {error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />}
      </Page>
    )
  // A part of a migration with several apps has no page of its own.
  if (move.partOf !== null)
    return <Navigate to="/$p/-/moves/$move" params={{ p, move: move.partOf }} replace />
  return <OneMove key={id} p={p} move={move} />
}

function OneMove({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves')
  const { title, back } = screens[move.kind].useHeading(p, move)
  const { source, fileName } = move
  return (
    <Page
      title={title}
      description={
        source
          ? t(isOfSpace(source) ? 'from' : 'fromExport', {
              source: t(`sources.names.${source.kind}`),
              space: source.space,
              app: source.app,
              name: fileName,
            })
          : appsOf(move).length > 0 && fileName
      }
      actions={
        <Button variant="default" component={Link} {...{ to: back.to }}>
          {back.label}
        </Button>
      }
    >
      <MoveSections p={p} move={move} />
    </Page>
  )
}

/** The progress of a migration and its actions. */
export function MoveSections({ p, move }: { p: string; move: Move }) {
  return (
    <>
      <Group gap="xs" mb="sm">
        <MoveState move={move} />
      </Group>
      <Steps move={move} />
      <Present p={p} move={move} />
      <Forget p={p} move={move} />
    </>
  )
}

/** Invalidates the space's apps after a migration has created or removed one. */
function useFreshApps(p: string, move: Move | undefined): void {
  const queryClient = useQueryClient()
  const state = move?.state
  useEffect(() => {
    if (state === 'importing' || state === 'imported' || state === 'undone')
      void queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
  }, [queryClient, p, state])
}

const stepOf: Record<Move['state'], (typeof allSteps)[number]> = {
  uploading: 'uploading',
  checking: 'uploading',
  refused: 'uploading',
  planned: 'planned',
  importing: 'importing',
  imported: 'imported',
  undoing: 'imported',
  undone: 'planned',
  accepted: 'accepted',
}

function Steps({ move: { kind, state } }: { move: Move }) {
  const t = useTranslations('moves')
  return (
    <ol className={classes.steps} aria-label={t('steps.label')}>
      {screens[kind].steps.map((step) => (
        <li key={step} {...(stepOf[state] === step ? { 'aria-current': 'step' } : {})}>
          {t(`steps.${step}`)}
        </li>
      ))}
    </ol>
  )
}

function Present({ p, move }: { p: string; move: Move }) {
  const screen = screens[move.kind]
  switch (move.state) {
    case 'uploading':
      return <Uploading p={p} move={move} />
    case 'refused':
      return <Refused move={move} />
    case 'checking':
    case 'importing':
    case 'undoing':
      return <Working p={p} move={move} state={move.state} screen={screen} />
    case 'planned':
    case 'undone':
      return <screen.Planned p={p} move={move} />
    default:
      return <screen.Done p={p} move={move} />
  }
}

const forgettable: readonly Move['state'][] = ['uploading', 'refused', 'planned', 'accepted', 'undone']

/**
 * A button that deletes a migration. Hidden while a job runs, while the migration can still be undone, and until
 * undoing is complete.
 */
function Forget({ p, move }: { p: string; move: Move }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const place = useMovePlace(p)
  const { _id: id, kind, state, stopped } = move
  const { useForgetting, listOf, canUndo } = screens[kind]
  const words = useForgetting(move)
  const hasStopped = stopped !== null && (state === 'checking' || (state === 'importing' && !canUndo))
  if (!forgettable.includes(state) && !hasStopped) return null
  const forget = () =>
    confirm({
      ...words,
      danger: true,
      run: async () => {
        await moveCalls(place, id).forget()
        await navigate({ to: listOf(place, move) })
        await queryClient.invalidateQueries({ queryKey: movesKey(p) })
      },
    })
  return (
    <Button variant="default" onClick={forget}>
      {words.action}
    </Button>
  )
}
