import { Button, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import { memberIdentitiesQuery } from './members.queries.ts'

/** A member's identities at the identity provider and in the directory. Renders nothing if there are none. */
export function MemberIdentities({ p, id, name }: { p: string; id: string; name: string }) {
  const t = useTranslations('members.identities')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const { data } = useQuery(memberIdentitiesQuery(p, id))
  const { sso = null, scim = null } = data?.identities ?? {}
  if (!sso && !scim) return null
  const day = (text: string) => format.dateTime(new Date(text), { dateStyle: 'medium' })
  const unlink = () =>
    confirm({
      title: t('unlink'),
      message: t('unlinkText', { name }),
      action: t('unlink'),
      danger: true,
      run: async () => {
        await api('DELETE /api/project/{p}/member/{id}/identity', { params: { p, id } })
        await queryClient.invalidateQueries(memberIdentitiesQuery(p, id))
        toast.success(t('unlinked'))
      },
    })
  return (
    <Section
      title={t('title')}
      actions={
        sso && (
          <Button variant="default" onClick={unlink}>
            {t('unlink')}
          </Button>
        )
      }
    >
      <Stack gap="md">
        {sso && (
          <Identity
            name={t('sso')}
            lines={[
              t('ssoText', { issuer: sso.issuer }),
              t('subject', { subject: sso.subject }),
              t('used', { since: day(sso.createdAt), time: day(sso.lastUsedAt) }),
            ]}
          />
        )}
        {scim && (
          <Identity
            name={t('scim')}
            lines={[
              t('scimText', { userName: scim.userName }),
              ...(scim.externalId === null ? [] : [t('externalId', { externalId: scim.externalId })]),
              t('byDirectory'),
            ]}
          />
        )}
      </Stack>
    </Section>
  )
}

function Identity({ name, lines }: { name: string; lines: string[] }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {name}
      </Text>
      {lines.map((line) => (
        <Text key={line} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
    </div>
  )
}
