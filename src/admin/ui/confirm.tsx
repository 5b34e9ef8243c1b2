import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { type ErrorTexts, errorText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { FormProblem } from './form-problem.tsx'
import { FormStack } from './form-stack.tsx'

interface ConfirmOptions {
  title: string
  /** Describes the effect of the action and its target. */
  message: ReactNode
  /** The verb on the button, such as 削除する. */
  action: string
  danger?: boolean
  /** A second possible action, with its own button. */
  other?: { action: string; run: () => Promise<unknown> }
  /** A name that the user must type to confirm an irreversible action. */
  typeName?: string
  texts?: ErrorTexts
  /** Called while the window shows a loading state. If it fails, the window stays open and shows the error. */
  run: () => Promise<unknown>
}

/**
 * Asks for confirmation and runs the action. The focus is on Cancel, or on the input for `typeName`, so that the key
 * press that opened the window cannot also confirm it.
 */
export function confirm(options: ConfirmOptions): void {
  const id = modals.open({
    title: options.title,
    children: <ConfirmBody {...options} close={() => modals.close(id)} />,
  })
}

/** Shows a message that the user only has to read. */
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
  other,
  typeName,
  texts,
  run,
  close,
}: ConfirmOptions & { close: () => void }) {
  const t = useTranslations('common')
  const [typed, setTyped] = useState('')
  const [running, setRunning] = useState<'action' | 'other' | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const ready = typeName === undefined || typed.trim() === typeName

  async function act(which: 'action' | 'other', work: () => Promise<unknown>) {
    if (!ready || running) return
    setRunning(which)
    setProblem(null)
    try {
      await work()
      close()
    } catch (error) {
      setProblem(errorText(error, texts))
      setRunning(null)
    }
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    void act('action', run)
  }

  return (
    <form onSubmit={submit}>
      <FormStack>
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
            disabled={running !== null}
            {...(typeName === undefined ? { 'data-autofocus': true } : {})}
          >
            {t('cancel')}
          </Button>
          {other && (
            <Button
              variant="default"
              loading={running === 'other'}
              disabled={running === 'action'}
              onClick={() => void act('other', other.run)}
            >
              {other.action}
            </Button>
          )}
          <Button
            type="submit"
            {...(danger ? { color: 'red.8' } : {})}
            loading={running === 'action'}
            disabled={!ready || running === 'other'}
          >
            {action}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
