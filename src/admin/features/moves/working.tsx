import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { JobFailure } from '#admin/ui/job-failure.tsx'
import { JobProgress } from '#admin/ui/job-progress.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { Move } from '#shared/contract/moves.ts'
import type { KindScreen } from './kinds/kind-screen.ts'
import { moveCalls, useMovePlace } from './move-place.ts'
import classes from './moves.module.css'
import { movesKey } from './moves.queries.ts'
import { UndoButton } from './undo-button.tsx'

interface WorkingProps {
  p: string
  move: Move
  state: 'checking' | 'importing' | 'undoing'
  screen: KindScreen
}

/** A running or stopped job of a migration: its progress and actions. */
export function Working({ p, move, state, screen }: WorkingProps) {
  const t = useTranslations('moves.working')
  const { title, text } = screen.useWorking(state)
  if (move.stopped)
    return (
      <Section title={t(`stopped.${state}`)}>
        <Stopped p={p} move={move} canUndo={screen.canUndo} />
      </Section>
    )
  return (
    <Section title={title} description={text}>
      <Running p={p} move={move} label={title} />
    </Section>
  )
}

function Running({ p, move: { _id: id, job }, label }: { p: string; move: Move; label: string }) {
  const place = useMovePlace(p)
  const t = useTranslations('moves.working')
  const queryClient = useQueryClient()
  const cancel = () =>
    confirm({
      title: t('cancelTitle'),
      message: t('cancelText'),
      action: t('cancelAction'),
      run: async () => {
        await moveCalls(place, id).cancel()
        await queryClient.invalidateQueries({ queryKey: movesKey(p) })
      },
    })
  const shown = job ?? { progress: null, secondsLeft: null, cancelRequested: false }
  const words = { action: t('cancelAction'), of: t('cancelOf', { name: label }), doing: t('cancelling') }
  return <JobProgress job={shown} label={label} onCancel={cancel} words={words} />
}

function Stopped({ p, move, canUndo }: { p: string; move: Move; canUndo: boolean }) {
  const place = useMovePlace(p)
  const t = useTranslations('moves.working')
  const queryClient = useQueryClient()
  const retry = useMutation({
    mutationFn: () => moveCalls(place, move._id).retry(),
    onError: (error) => toast.error(errorText(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: movesKey(p) }),
  })
  return (
    <Stack gap="sm">
      {move.stopped?.code === 'cancelled' && <Text role="alert">{t('why.cancelled')}</Text>}
      {move.stopped && move.stopped.code !== 'cancelled' && <JobFailure error={move.stopped} />}
      <div className={classes.actions}>
        <Button loading={retry.isPending} onClick={() => retry.mutate()}>
          {t('retry')}
        </Button>
        {move.state === 'importing' && canUndo && <UndoButton p={p} move={move} />}
      </div>
    </Stack>
  )
}
