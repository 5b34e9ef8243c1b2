import { Alert, Button, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { checkAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { SsoConnection } from '#shared/contract/sso.ts'
import { type Connected, connectedChannel, isConnected } from './sign-in.ts'
import { ssoQuery } from './sso.queries.ts'

/** What the identity provider is told, trying it out, and the end of it. */
export function ConnectionParts({ p, sso }: { p: string; sso: SsoConnection }) {
  const t = useTranslations('sso')
  const queryClient = useQueryClient()
  const test = useMutation({ mutationFn: () => api('POST /api/project/{p}/sso/test', { params: { p } }) })
  const [window_, signIn] = usePopup(`/sso/login?space=${p}&popup=1`)
  const copy = t('ours.copy')

  function remove(): void {
    confirm({
      title: t('delete.title'),
      message: t('delete.text'),
      action: t('delete.action'),
      danger: true,
      run: async () => {
        await api('DELETE /api/project/{p}/sso', { params: { p } })
        queryClient.setQueryData(ssoQuery(p).queryKey, { sso: null })
        toast.success(t('delete.done'))
      },
    })
  }

  return (
    <>
      <Section title={t('ours.title')} description={t('ours.text')}>
        <Stack gap="md">
          {sso.kind === 'saml' ? (
            <>
              <CopyField label={t('ours.entityId')} value={sso.ours.entityId} copyLabel={copy} />
              <CopyField label={t('ours.acsUrl')} value={sso.ours.acsUrl} copyLabel={copy} />
            </>
          ) : (
            <CopyField label={t('ours.redirectUri')} value={sso.ours.redirectUri} copyLabel={copy} />
          )}
        </Stack>
      </Section>
      <Section title={t('test.title')} description={t('test.text')}>
        <Stack gap="md">
          <Group>
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
              {t('test.settings')}
            </Button>
            <Button variant="default" disabled={!sso.isComplete || window_ !== null} onClick={signIn}>
              {t('test.signIn')}
            </Button>
          </Group>
          {test.data && (
            <Alert
              variant="light"
              role="status"
              color={test.data.problem ? 'red' : 'green'}
              icon={test.data.problem ? <IconAlertTriangle size={18} /> : <IconCircleCheck size={18} />}
            >
              {test.data.problem ? t(`test.problems.${test.data.problem}`) : t('test.good')}
            </Alert>
          )}
          {test.error && (
            <Alert variant="light" color="red" role="alert" icon={<IconAlertTriangle size={18} />}>
              {errorText(test.error)}
            </Alert>
          )}
        </Stack>
      </Section>
      <Section title={t('delete.title')} description={t('delete.text')} danger>
        <Button variant="light" color="red" onClick={remove}>
          {t('delete.action')}
        </Button>
      </Section>
    </>
  )
}

/**
 * A window that comes back by `/connected`. What it tells is not believed: the server is asked who is signed in. A page of
 * an identity provider may cut it off from its opener, to which it then looks closed, so it is listened for from the first
 * one on and as long as this page is there.
 */
function usePopup(address: string): [Window | null, () => void] {
  const t = useTranslations('sso.test')
  const [popup, setPopup] = useState<Window | null>(null)
  // Told by the opener, by the channel, or by both.
  const isAwaited = useRef(false)
  useEffect(() => {
    function onConnected({ success, errorCode }: Connected): void {
      if (!isAwaited.current) return
      isAwaited.current = false
      setPopup(null)
      if (!success) toast.error(errorText(new ApiError(400, { code: errorCode ?? 'SsoRefused' })))
      else void checkAccount({ force: true }).then((account) => account && toast.success(t('signedIn')))
    }
    const channel = new BroadcastChannel(connectedChannel)
    channel.onmessage = ({ data }) => isConnected(data) && onConnected(data)
    const onMessage = ({ origin, data }: MessageEvent) => {
      if (origin === location.origin && isConnected(data)) onConnected(data)
    }
    window.addEventListener('message', onMessage)
    return () => {
      window.removeEventListener('message', onMessage)
      channel.close()
    }
  }, [t])
  useEffect(() => {
    if (!popup) return
    const watch = setInterval(() => popup.closed && setPopup(null), 1000)
    return () => clearInterval(watch)
  }, [popup])
  function open(): void {
    isAwaited.current = true
    setPopup(window.open(address, 'imori-sso', 'popup,width=520,height=720'))
  }
  return [popup, open]
}
