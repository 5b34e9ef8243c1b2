import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { type ErrorTexts, errorText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { FormProblem } from './form-problem.tsx'

interface ConfirmOptions {
  title: string
  /** What will happen, and to what. */
  message: ReactNode
  /** The verb of the action: 削除する. */
  action: string
  danger?: boolean
  /** A name that must be typed first, for what cannot be brought back. */
  typeName?: string
  /** What to say instead of the general words when `run` fails. */
  texts?: ErrorTexts
  /** Runs while the window shows that it works; what it throws is shown in the window, which stays open. */
  run: () => Promise<unknown>
}

/**
 * Asks before something is done, and does it. The focus is on the way back: the key that asked does not answer, too.
 */
export function confirm(options: ConfirmOptions): void {
  const id = modals.open({
    title: options.title,
    children: <ConfirmBody {...options} close={() => modals.close(id)} />,
  })
}

/** Tells something that needs no answer but having been read. */
export function tell({ title, message }: { title: string; message: ReactNode }): void {
  const id = modals.open({ title, children: <TellBody message={message} close={() => modals.close(id)} /> })
}

function TellBody({ message, close }: { message: ReactNode; close: () => void }) {
  const t = useTranslations('common')
  return (
    <Stack gap="md">
      <Text component="div" size="sm">
        {message}
      </Text>
      <Group justify="flex-end">
        <Button onClick={close} data-autofocus>
          {t('close')}
        </Button>
      </Group>
    </Stack>
  )
}

function ConfirmBody({
  message,
  action,
  danger,
  typeName,
  texts,
  run,
  close,
}: ConfirmOptions & { close: () => void }) {
  const t = useTranslations('common')
  const [typed, setTyped] = useState('')
  const [running, setRunning] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const ready = typeName === undefined || typed.trim() === typeName

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (!ready || running) return
    setRunning(true)
    setProblem(null)
    try {
      await run()
      close()
    } catch (error) {
      setProblem(errorText(error, texts))
      setRunning(false)
    }
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text component="div" size="sm">
          {message}
        </Text>
        {typeName !== undefined && (
          <TextInput
            data-autofocus
            label={t('typeName', { name: typeName })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
        )}
        <FormProblem text={problem} />
        <Group justify="flex-end" gap="sm">
          <Button
            variant="default"
            onClick={close}
            disabled={running}
            {...(typeName === undefined ? { 'data-autofocus': true } : {})}
          >
            {t('cancel')}
          </Button>
          <Button type="submit" {...(danger ? { color: 'red.8' } : {})} loading={running} disabled={!ready}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
