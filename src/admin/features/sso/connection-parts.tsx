import { Alert, Button, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { SsoConnection } from '#shared/contract/sso.ts'
import { type Connected, connectedChannel, isConnected } from './sign-in.ts'
import { putSso, ssoRefusalsQuery } from './sso.queries.ts'

/** Trying the connection out: what it has, and how somebody would be signed in by it. */
export function SignInTest({ p, sso }: { p: string; sso: SsoConnection }) {
  const t = useTranslations('sso')
  const test = useMutation({ mutationFn: () => api('POST /api/project/{p}/sso/test', { params: { p } }) })
  const [window_, signIn] = useTrial(p)
  const problem = test.data?.problem
  return (
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
            color={problem ? 'red' : 'green'}
            icon={problem ? <IconAlertTriangle size={18} /> : <IconCircleCheck size={18} />}
          >
            {problem ? t(`test.problems.${problem}`) : t('test.good')}
          </Alert>
        )}
        {test.error && (
          <Alert variant="light" color="red" role="alert" icon={<IconAlertTriangle size={18} />}>
            {errorText(test.error)}
          </Alert>
        )}
      </Stack>
    </Section>
  )
}

export function DeleteSso({ p }: { p: string }) {
  const t = useTranslations('sso.delete')
  const notYours = useTranslations('sso.form')('notYours')
  const queryClient = useQueryClient()
  function remove(): void {
    confirm({
      title: t('title'),
      message: t('text'),
      action: t('action'),
      danger: true,
      texts: { InvalidRoleChange: notYours },
      run: async () => {
        await api('DELETE /api/project/{p}/sso', { params: { p } })
        putSso(queryClient, p, null)
        toast.success(t('done'))
      },
    })
  }
  return (
    <Section title={t('title')} description={t('text')} danger>
      <Button variant="light" color="red" onClick={remove}>
        {t('action')}
      </Button>
    </Section>
  )
}

/**
 * A window in which a sign-in is tried out, and which shows what came of it. A refusal comes back by `/connected`. A page of
 * an identity provider may cut the window off from its opener, to which it then looks closed, so a refusal is listened for
 * from the first one on and as long as this page is there.
 */
function useTrial(p: string): [Window | null, () => void] {
  const queryClient = useQueryClient()
  const [popup, setPopup] = useState<Window | null>(null)
  // Told by the opener, by the channel, or by both.
  const isAwaited = useRef(false)
  useEffect(() => {
    function onConnected({ success, errorCode }: Connected): void {
      if (!isAwaited.current) return
      isAwaited.current = false
      setPopup(null)
      if (!success) toast.error(errorText(new ApiError(400, { code: errorCode ?? 'SsoRefused' })))
      void queryClient.invalidateQueries({ queryKey: ssoRefusalsQuery(p).queryKey })
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
  }, [p, queryClient])
  useEffect(() => {
    if (!popup) return
    const watch = setInterval(() => popup.closed && setPopup(null), 1000)
    return () => clearInterval(watch)
  }, [popup])
  async function open(): Promise<void> {
    // At once, for a browser keeps windows from opening later than the click.
    const opened = window.open('', 'imori-sso', 'popup,width=520,height=760')
    isAwaited.current = true
    setPopup(opened)
    try {
      const { url } = await api('POST /api/project/{p}/sso/try', { params: { p } })
      opened?.location.assign(url)
    } catch (error) {
      opened?.close()
      setPopup(null)
      toast.error(errorText(error))
    }
  }
  return [popup, () => void open()]
}
