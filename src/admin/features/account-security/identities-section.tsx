import { Button, Text } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import type { Account } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { OwnSsoIdentity } from '#shared/contract/sso.ts'
import { identitiesQuery } from './account-security.queries.ts'
import classes from './sessions.module.css'

/** The spaces that the account signs in to by SSO; renders nothing if there are none. */
export function IdentitiesSection({ account }: { account: Account }) {
  const t = useTranslations('accountSecurity.identities')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const identities = useQuery(identitiesQuery(account._id)).data?.identities ?? []
  if (identities.length === 0) return null
  const day = (text: string) => format.dateTime(new Date(text), { dateStyle: 'medium' })
  const unlink = ({ _id, space }: OwnSsoIdentity) =>
    confirm({
      title: t('unlinkOf', { space: space.name }),
      message: t('unlinkText', { space: space.name }),
      action: t('unlink'),
      run: async () => {
        await api('DELETE /api/account/{id}/identity/{identity}', {
          params: { id: account._id, identity: _id },
        })
        await queryClient.invalidateQueries(identitiesQuery(account._id))
        toast.success(t('unlinked'))
      },
    })
  return (
    <Section title={t('title')} description={t('text')}>
      <ul className={classes.list} aria-label={t('title')}>
        {identities.map((identity) => (
          <li key={identity._id} className={classes.row}>
            <IconBuilding size={22} stroke={1.5} aria-hidden="true" />
            <div className={classes.about}>
              <Text size="sm" fw={600}>
                {identity.space.name}
              </Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {identity.issuer}
              </Text>
              <Text size="sm" c="dimmed">
                {t('used', { since: day(identity.createdAt), time: day(identity.lastUsedAt) })}
              </Text>
            </div>
            <Button
              variant="default"
              size="compact-md"
              aria-label={t('unlinkOf', { space: identity.space.name })}
              onClick={() => unlink(identity)}
            >
              {t('unlink')}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  )
}
