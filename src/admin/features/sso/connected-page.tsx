import { Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { connectedChannel, readConnected } from './sign-in.ts'

/** `/connected`: tells the window that opened this one how the sign-in went, and closes. Only pages of this origin hear it. */
export function ConnectedPage() {
  const t = useTranslations('sso.connected')
  useEffect(() => {
    const message = readConnected(location.search)
    ;(window.opener as Window | null)?.postMessage(message, location.origin)
    // Where a page on the way has cut the opener off.
    const channel = new BroadcastChannel(connectedChannel)
    channel.postMessage(message)
    channel.close()
    window.close()
  }, [])
  return (
    <AuthLayout title={t('title')}>
      <Text>{t('text')}</Text>
    </AuthLayout>
  )
}
