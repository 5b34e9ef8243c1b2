import { Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { ApiError } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { connectedChannel, readConnected } from './sign-in.ts'

/**
 * `/connected`: reports the result of the sign-in to the window that opened this one, and closes. Only pages of the
 * same origin receive the result.
 */
export function ConnectedPage() {
  const t = useTranslations('sso')
  const [message] = useState(() => readConnected(location.search))
  useEffect(() => {
    ;(window.opener as Window | null)?.postMessage(message, location.origin)
    // The channel is needed if a page of the sign-in has severed the opener.
    const channel = new BroadcastChannel(connectedChannel)
    channel.postMessage(message)
    channel.close()
    window.close()
  }, [message])
  return (
    <AuthLayout title={t(message.success ? 'connected.title' : 'verify.failed')}>
      <Stack gap="md">
        {message.errorCode && (
          <FormProblem text={errorText(new ApiError(400, { code: message.errorCode }))} />
        )}
        <Text>{t('connected.text')}</Text>
      </Stack>
    </AuthLayout>
  )
}
