import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { appsQuery } from '#admin/lib/queries.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Move } from '#shared/contract/moves.ts'
import { Imported } from './imported.tsx'
import { useMoveName } from './move-name.ts'
import { moveCalls, useMovePlace, useUpdateWords } from './move-place.ts'
import { isOfSpace } from './move-source.ts'
import { MoveState } from './move-state.tsx'
import classes from './moves.module.css'
import { moveQuery, movesKey } from './moves.queries.ts'
import { Refused } from './refused.tsx'
import { UpdatePlan } from './update-plan.tsx'
import { UpdateResult } from './update-result.tsx'
import { Uploading } from './uploading.tsx'
import { Working } from './working.tsx'

const route = getRouteApi('/signed-in/$p/-/moves/$move')

/** `/{p}/-/moves/{move}` */
export function MovePage() {
  const t = useTranslations('moves')
  const { p, move: id } = route.useParams()
  const { data: move, error, refetch } = useQuery(moveQuery({ p, a: null }, id))
  const nameOf = useMoveName()
  useFreshApps(p, move)
  if (!move)
    return (
      <Page title={t('title')}>
        {error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />}
      </Page>
    )
  // One of several apps goes the way of the whole.
  if (move.partOf !== null)
    return <Navigate to="/$p/-/moves/$move" params={{ p, move: move.partOf }} replace />
  return (
    <Page
      title={move.updates === null ? nameOf(move) : t('update.title')}
      description={
        move.source
          ? t(isOfSpace(move.source) ? 'from' : 'fromExport', {
              source: t(`sources.names.${move.source.kind}`),
              space: move.source.space,
              app: move.source.app,
              name: move.fileName,
            })
          : (move.app || move.apps.length > 0) && move.fileName
      }
      actions={
        <Button
          variant="default"
          component={Link}
          {...{ to: `/${p}/-/moves${move.updates === null ? '' : `/${move.updates}`}` }}
        >
          {t(move.updates === null ? 'back' : 'update.back')}
        </Button>
      }
    >
      <MoveSections p={p} move={move} />
    </Page>
  )
}

/** How far a move is, and what can be done. */
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

/** The space's apps are others once a move has made or taken back one. */
function useFreshApps(p: string, move: Move | undefined): void {
  const queryClient = useQueryClient()
  const state = move?.state
  useEffect(() => {
    if (state === 'importing' || state === 'imported' || state === 'undone')
      void queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
  }, [queryClient, p, state])
}

const steps = ['uploading', 'planned', 'importing', 'imported', 'accepted'] as const
type Step = (typeof steps)[number]

const stepOf: Record<Move['state'], Step> = {
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

function Steps({ move: { state, updates } }: { move: Move }) {
  const t = useTranslations('moves')
  return (
    <ol className={classes.steps} aria-label={t('steps.label')}>
      {steps
        // There is nothing to decide of an update once it is done.
        .filter((step) => updates === null || step !== 'imported')
        .map((step) => (
          <li key={step} {...(stepOf[state] === step ? { 'aria-current': 'step' } : {})}>
            {t(`steps.${step}`)}
          </li>
        ))}
    </ol>
  )
}

function Present({ p, move }: { p: string; move: Move }) {
  switch (move.state) {
    case 'uploading':
      return <Uploading p={p} move={move} />
    case 'refused':
      return <Refused move={move} />
    case 'checking':
    case 'importing':
    case 'undoing':
      return <Working p={p} move={move} />
    case 'planned':
      if (move.updates !== null) return <UpdatePlan p={p} move={move} />
      return <Planned p={p} move={move} />
    case 'undone':
      return <Planned p={p} move={move} />
    default:
      return move.updates === null ? <Imported p={p} move={move} /> : <UpdateResult p={p} move={move} />
  }
}

function Planned({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves')
  return (
    <Section
      title={t('planned.title')}
      description={
        move.state === 'undone'
          ? t('planned.again')
          : move.apps.length > 0
            ? t('planned.several', { count: move.apps.length })
            : t('planned.text')
      }
    >
      <Button component={Link} {...planLink(p, move)}>
        {t('planned.action')}
      </Button>
    </Section>
  )
}

const planLink = (p: string, { _id }: Move) => ({ to: `/${p}/-/moves/${_id}/plan` })

/** What can be forgotten, because nothing of it is at work or waits for an answer. */
function Forget({ p, move }: { p: string; move: Move }) {
  const t = useTranslations('moves.forget')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const words = useUpdateWords('moves.update')
  const place = useMovePlace(p)
  const { _id: id, state, stopped, updates, source } = move
  const isOpen = ['uploading', 'refused', 'planned', 'accepted', 'undone'].includes(state)
  const mayStop = state === 'checking' || (state === 'importing' && updates !== null)
  if (!isOpen && !(mayStop && stopped)) return null
  const action = updates === null ? t('action') : words('forget.action')
  const message = () => {
    const isAccepted = state === 'accepted'
    if (updates !== null) return words(isAccepted ? 'forget.acceptedText' : 'forget.text')
    if (isAccepted && source?.kind === 'newt') return words('forgetOrigin')
    return t(isAccepted ? 'acceptedText' : 'text')
  }
  const forget = () =>
    confirm({
      title: updates === null ? t('title') : words('forget.title'),
      message: message(),
      action,
      danger: true,
      run: async () => {
        await moveCalls(place, id).forget()
        if (place.a !== null) await navigate({ to: '/$p/$a/-/import', params: { p, a: place.a } })
        else
          await (updates === null
            ? navigate({ to: '/$p/-/moves', params: { p } })
            : navigate({ to: '/$p/-/moves/$move', params: { p, move: updates } }))
        await queryClient.invalidateQueries({ queryKey: movesKey(p) })
      },
    })
  return (
    <Button variant="default" onClick={forget}>
      {action}
    </Button>
  )
}
