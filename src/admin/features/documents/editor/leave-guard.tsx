import { Button, Group, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { type OverPage, useEditor } from './editor-context.ts'

interface LeaveGuardProps {
  /** Saves the input. Returns whether it succeeded. */
  save: () => Promise<boolean>
  /** Discards the input. */
  discard: () => void
}

/** Asks before unsaved changes are lost by a link, by Back, or by closing the tab. */
export function LeaveGuard({ save, discard }: LeaveGuardProps) {
  const t = useTranslations('documents.leave')
  const { store } = useEditor()
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => store.hasUnsaved() && current.pathname !== next.pathname,
    enableBeforeUnload: () => store.hasUnsaved(),
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const words = { text: t('text'), discard: t('discard'), save: t('save') }
  return (
    <Question save={save} discard={discard} words={words} proceed={blocker.proceed} reset={blocker.reset} />
  )
}

/** Asks about unsaved changes before an editor's window closes. */
export function CloseGuard({ save, discard, over }: LeaveGuardProps & { over: OverPage }) {
  const t = useTranslations('documents.window')
  const { store } = useEditor()
  const [asking, setAsking] = useState(false)
  useEffect(() => {
    over.askToClose.current = () => {
      if (store.hasUnsaved()) setAsking(true)
      else over.onClose()
    }
  }, [over, store])
  if (!asking) return null
  const words = { text: t('closeText'), discard: t('closeDiscard'), save: t('closeSave') }
  return (
    <Question
      save={save}
      discard={discard}
      words={words}
      proceed={over.onClose}
      reset={() => setAsking(false)}
    />
  )
}

interface QuestionProps extends LeaveGuardProps {
  words: { text: string; discard: string; save: string }
  proceed: () => void
  reset: () => void
}

function Question({ save, discard, words, proceed, reset }: QuestionProps) {
  const t = useTranslations('documents.leave')
  const [saving, setSaving] = useState(false)

  async function saveAndLeave() {
    setSaving(true)
    const saved = await save()
    setSaving(false)
    if (saved) proceed()
    else reset()
  }

  return (
    <Dialog onClose={reset} title={t('title')} size="lg">
      <Stack>
        <Text size="sm">{words.text}</Text>
        <Group justify="flex-end" gap="sm">
          <Button
            variant="subtle"
            color="red.8"
            c="var(--mantine-color-error)"
            mr="auto"
            onClick={() => {
              discard()
              proceed()
            }}
          >
            {words.discard}
          </Button>
          <Button variant="default" onClick={reset}>
            {t('stay')}
          </Button>
          <Button data-autofocus loading={saving} onClick={() => void saveAndLeave()}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
