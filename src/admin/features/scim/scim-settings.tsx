import { Anchor, Button, Code, Group, Stack, Switch, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { NoMailNote } from '#admin/ui/no-mail-note.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { ScimConnection } from '#shared/contract/scim.ts'
import { scimQuery } from './scim.queries.ts'

interface ScimSettingsProps {
  p: string
  scim: ScimConnection
  /** Whether the user may issue tokens. */
  mayIssue: boolean
  issue: () => Promise<void>
}

/** Settings of the space's existing SCIM connection. */
export function ScimSettings({ p, scim, mayIssue, issue }: ScimSettingsProps) {
  const t = useTranslations('scim')
  const common = useTranslations('common')
  const groups = useTranslations('groupRoles')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const sendsMail = useSendsMail()
  const { queryKey } = scimQuery(p)
  const date = (text: string) => format.dateTime(new Date(text), { dateStyle: 'medium', timeStyle: 'short' })

  const tell = useMutation({
    mutationFn: (sendsMail: boolean) =>
      api('PUT /api/project/{p}/scim', { params: { p }, body: { data: { sendsMail } } }),
    onSuccess: (answer) => {
      queryClient.setQueryData(queryKey, answer.scim)
      toast.success(common('saved'))
    },
  })

  return (
    <>
      <Section title={t('connection.title')} description={t('connection.text')}>
        <Stack gap="md">
          <CopyField label={t('connection.url')} value={scim.url} copyLabel={t('connection.copyUrl')} />
          <div>
            <Text size="sm" fw={500}>
              {t('connection.token')}
            </Text>
            <Text size="sm">
              {t.rich('connection.ending', { last4: scim.last4, code: (text) => <Code>{text}</Code> })}
            </Text>
            <Text size="sm" c="dimmed">
              {t('connection.created', { date: date(scim.renewedAt ?? scim.createdAt) })}
              {' · '}
              {scim.lastUsedAt
                ? t('connection.used', { date: date(scim.lastUsedAt) })
                : t('connection.unused')}
            </Text>
          </div>
          {mayIssue ? (
            <Group>
              <Button
                variant="default"
                leftSection={<IconRefresh size={16} />}
                onClick={() =>
                  confirm({
                    title: t('connection.renewTitle'),
                    message: t('connection.renewText'),
                    action: t('connection.renew'),
                    danger: true,
                    run: issue,
                  })
                }
              >
                {t('connection.renew')}
              </Button>
            </Group>
          ) : (
            <Text size="sm" c="dimmed">
              {t('onlyAdmins')}
            </Text>
          )}
        </Stack>
      </Section>
      <Section title={t('mail.title')}>
        <Switch
          label={t('mail.switch')}
          description={t('mail.hint')}
          checked={tell.isPending ? tell.variables : scim.sendsMail}
          onChange={(event) => tell.mutate(event.currentTarget.checked)}
          disabled={tell.isPending}
        />
        {scim.sendsMail && !sendsMail && <NoMailNote />}
      </Section>
      <Section title={t('roles.title')} description={t('roles.text')}>
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/$p/-/group-roles" params={{ p }} />}>
          {groups('title')}
        </Anchor>
      </Section>
      <Section title={t('accounts.title')}>
        <Text size="sm">{t('accounts.text')}</Text>
      </Section>
      <Section title={t('end.title')} description={t('end.text')} danger>
        <Button
          variant="light"
          color="red"
          onClick={() =>
            confirm({
              title: t('end.confirmTitle'),
              message: t('end.text'),
              action: t('end.action'),
              danger: true,
              run: async () => {
                await api('DELETE /api/project/{p}/scim', { params: { p } })
                queryClient.setQueryData(queryKey, null)
                toast.success(t('end.done'))
              },
            })
          }
        >
          {t('end.action')}
        </Button>
      </Section>
    </>
  )
}
