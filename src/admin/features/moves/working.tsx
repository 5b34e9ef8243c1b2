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
import { moveCalls, useMovePlace, useUpdateWords } from './move-place.ts'
import classes from './moves.module.css'
import { movesKey } from './moves.queries.ts'
import { UndoButton } from './undo-button.tsx'

/** A job is at work on the move, or has stopped: how far, and what can be done. */
export function Working({
  p,
  move,
}: {
  p: string
  move: (Move & { state: 'checking' | 'importing' | 'undoing' }) | Move
}) {
  const t = useTranslations('moves.working')
  const state = move.state as 'checking' | 'importing' | 'undoing'
  const updating = useUpdateWords('moves.update')
  // An update is brought and compared where a move is imported and planned.
  const key = move.updates === null ? null : state === 'importing' ? 'working' : 'checking'
  if (move.stopped)
    return (
      <Section title={t(`stopped.${state}`)}>
        <Stopped p={p} move={move} />
      </Section>
    )
  const title = key ? updating(`${key}.title`) : t(`${state}.title`)
  return (
    <Section title={title} description={key ? updating(`${key}.text`) : t(`${state}.text`)}>
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

function Stopped({ p, move }: { p: string; move: Move }) {
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
        {move.state === 'importing' && move.updates === null && <UndoButton p={p} move={move} />}
      </div>
    </Stack>
  )
}
