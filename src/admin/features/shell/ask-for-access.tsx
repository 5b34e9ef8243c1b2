import { Alert, Button, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'

/**
 * A form to request access, for a member who followed a link to an app that they cannot see. The form does not reveal
 * whether the app exists.
 */
export function AskForAccess({ p, a }: { p: string; a: string }) {
  const t = useTranslations('accessRequests.ask')
  const [opened, setOpened] = useState(false)
  const [message, setMessage] = useState('')
  const ask = useMutation({
    mutationFn: () =>
      api('POST /api/project/{p}/accessRequest', {
        params: { p },
        body: { app: a, message: message.trim() },
      }),
  })
  if (ask.isSuccess)
    return (
      <Alert variant="light" title={t('sent')} role="status" ta="left">
        {t('sentText')}
      </Alert>
    )
  if (!opened)
    return (
      <Button variant="light" onClick={() => setOpened(true)}>
        {t('action')}
      </Button>
    )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        ask.mutate()
      }}
    >
      <Stack gap="sm" ta="left" w="min(100%, 420px)" mx="auto">
        <Text size="sm">{t('text')}</Text>
        <FormProblem text={ask.error && errorText(ask.error)} />
        <Textarea
          label={t('message')}
          placeholder={t('messagePlaceholder')}
          maxLength={500}
          autosize
          minRows={2}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
          autoFocus
        />
        <Button type="submit" loading={ask.isPending}>
          {t('send')}
        </Button>
      </Stack>
    </form>
  )
}
