import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconUsersGroup } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { SecuritySettingsPage } from '#admin/features/shell/security-settings-page.tsx'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import type { ScimConnection } from '#shared/contract/scim.ts'
import { spaceRights } from '#shared/permissions.ts'
import { scimQuery } from './scim.queries.ts'
import { ScimSettings } from './scim-settings.tsx'

/** `/{p}/-/scim` */
export function ScimPage() {
  const t = useTranslations('scim')
  const { p } = spaceRoute.useParams()
  return (
    <SecuritySettingsPage p={p} title={t('title')} text={t('text')} query={scimQuery(p)}>
      {(scim) => <Connection p={p} scim={scim} />}
    </SecuritySettingsPage>
  )
}

function Connection({ p, scim }: { p: string; scim: ScimConnection | null }) {
  const t = useTranslations('scim')
  const can = useCanInSpace(p)
  const queryClient = useQueryClient()
  const [working, setWorking] = useState(false)
  const [token, setToken] = useState<string | null>(null)
  const mayIssue = spaceRights.every(can)

  /** Creates a token and shows it. The token replaces an existing one. Without a connection, one is created first. */
  async function issue() {
    const answer = await api('POST /api/project/{p}/scim', { params: { p }, body: { data: {} } })
    const { token: issued, ...made } = answer.scim
    queryClient.setQueryData(scimQuery(p).queryKey, made)
    setToken(issued)
  }

  async function begin() {
    setWorking(true)
    try {
      await issue()
    } catch (problem) {
      toast.error(errorText(problem))
    } finally {
      setWorking(false)
    }
  }

  if (scim !== null)
    return (
      <>
        {token !== null && <IssuedToken key={token} token={token} done={() => setToken(null)} />}
        <ScimSettings p={p} scim={scim} mayIssue={mayIssue} issue={issue} />
      </>
    )
  return (
    <EmptyState
      icon={<IconUsersGroup size={36} stroke={1.4} aria-hidden="true" />}
      title={t('off.title')}
      text={t('off.text')}
      action={
        mayIssue ? (
          <Button onClick={() => void begin()} loading={working}>
            {t('off.action')}
          </Button>
        ) : (
          <Text size="sm" c="dimmed">
            {t('onlyAdmins')}
          </Text>
        )
      }
    />
  )
}

/**
 * Shows the new token, which cannot be shown again. It is not in a dialog, because a dialog could be closed by
 * accident.
 */
function IssuedToken({ token, done }: { token: string; done: () => void }) {
  const t = useTranslations('scim')
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    panel.current?.focus()
    panel.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <Alert
      ref={panel}
      tabIndex={-1}
      role="region"
      aria-label={t('issued.title')}
      title={t('issued.title')}
      mb="xl"
    >
      <Stack gap="md">
        <Text size="sm">{t('issued.text')}</Text>
        <CopyField label={t('connection.token')} value={token} copyLabel={t('issued.copy')} />
        <Group>
          <Button variant="default" onClick={done}>
            {t('issued.done')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
