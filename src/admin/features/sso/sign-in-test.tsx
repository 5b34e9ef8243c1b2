import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { Section } from '#admin/ui/section.tsx'
import type { SsoConnection, SsoRefusalEntry } from '#shared/contract/sso.ts'
import { type Connected, connectedChannel, isConnected } from './sign-in.ts'
import { ssoRefusalsQuery } from './sso.queries.ts'

type Protocol = SsoConnection['kind']

/** Tests the connection: its settings, and the result of a sign-in. */
export function SignInTest({ p, sso }: { p: string; sso: SsoConnection }) {
  const t = useTranslations('sso.test')
  return (
    <Section title={t('title')} description={t('text')}>
      <ProtocolTest p={p} kind={sso.kind} isComplete={sso.isComplete} />
    </Section>
  )
}

/** The buttons that test one protocol, and the results. */
export function ProtocolTest({ p, kind, isComplete }: { p: string; kind: Protocol; isComplete: boolean }) {
  const t = useTranslations('sso')
  const test = useMutation({
    mutationFn: () => api('POST /api/project/{p}/sso/test', { params: { p }, query: { kind } }),
  })
  const signInTest = useSignInTest(p, kind)
  const problem = test.data?.problem
  return (
    <Stack gap="md">
      <Group>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t('test.settings')}
        </Button>
        <Button
          variant="default"
          disabled={!isComplete || signInTest.popup !== null}
          onClick={signInTest.open}
        >
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
      {signInTest.refusal && (
        <Alert
          variant="light"
          color="red"
          role="alert"
          title={t('test.refused')}
          icon={<IconAlertTriangle size={18} />}
        >
          {t(`refusals.reasons.${signInTest.refusal.reason}`)}
          {signInTest.refusal.detail && (
            <Text size="xs" mt={4} style={{ overflowWrap: 'anywhere' }} lang="en">
              {signInTest.refusal.detail}
            </Text>
          )}
        </Alert>
      )}
    </Stack>
  )
}

/**
 * Opens a window for a test sign-in, which shows its result. `/connected` reports a refusal. The identity provider's
 * page may sever the opener, so that the window seems closed. Therefore refusals are awaited from the first test until
 * this page unmounts. `refusal`: the newest refusal, if it was recorded since the test began.
 */
function useSignInTest(p: string, kind: Protocol) {
  const queryClient = useQueryClient()
  const [popup, setPopup] = useState<Window | null>(null)
  const [refusal, setRefusal] = useState<SsoRefusalEntry | null>(null)
  // The message can arrive through the opener, the channel, or both. Pages in other windows run other tests, so only
  // the awaited id counts.
  const awaited = useRef<string | null>(null)
  const newestBefore = useRef<string | null>(null)
  useEffect(() => {
    const query = ssoRefusalsQuery(p)
    async function showRefusal(errorCode: string | null): Promise<void> {
      toast.error(errorText(new ApiError(400, { code: errorCode ?? 'SsoRefused' })))
      const [newest] = await queryClient.fetchQuery({ ...query, staleTime: 0 })
      if (newest && newest.at !== newestBefore.current) setRefusal(newest)
    }
    function onConnected({ testId, errorCode }: Connected): void {
      if (testId === null || testId !== awaited.current) return
      awaited.current = null
      setPopup(null)
      showRefusal(errorCode).catch(() => undefined)
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
    // The window is opened immediately, because browsers block windows opened later than the click.
    const opened = window.open('', '_blank', 'popup,width=520,height=760')
    awaited.current = null
    newestBefore.current = queryClient.getQueryData(ssoRefusalsQuery(p).queryKey)?.[0]?.at ?? null
    setPopup(opened)
    setRefusal(null)
    try {
      const { url, testId } = await api('POST /api/project/{p}/sso/try', { params: { p }, query: { kind } })
      awaited.current = testId
      opened?.location.assign(url)
    } catch (error) {
      opened?.close()
      setPopup(null)
      toast.error(errorText(error))
    }
  }
  return { popup, refusal, open: () => void open() }
}
