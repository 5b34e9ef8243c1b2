import { Alert, Button, Stack, Table, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { rolesQuery } from '#admin/lib/queries.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import type { SsoTrial } from '#shared/contract/sso.ts'

const looks = {
  signIn: { color: 'green', icon: <IconCircleCheck size={18} /> },
  link: { color: 'blue', icon: <IconInfoCircle size={18} /> },
  refused: { color: 'red', icon: <IconAlertTriangle size={18} /> },
}

/** The result of a test sign-in: the effect of a real one, and the identity provider's claims. */
export function Trial({ p, trial }: { p: string; trial: SsoTrial }) {
  const t = useTranslations('sso')
  const roles = useRoleNames(useQuery(rolesQuery(p)).data)
  const { claims, result, reason, email, roleId } = trial
  const values = { email: email ?? '', role: roleId ? roles.nameOf(roleId) : '' }
  const facts = [
    ['issuer', claims.issuer],
    ['subject', claims.subject],
    ['email', claims.email],
    ['name', claims.name],
    ['groups', claims.groups.join(', ')],
  ] as const
  return (
    <AuthLayout title={t('trial.title')}>
      <Stack gap="md">
        <Alert variant="light" role="status" {...looks[result]}>
          {t(`trial.results.${result === 'link' && email === null ? 'linkOfMember' : result}`, values)}
          {reason && ` ${t(`refusals.reasons.${reason}`)}`}
        </Alert>
        <Text size="sm" c="dimmed">
          {t('trial.text')}
        </Text>
        <Table>
          <Table.Caption>{t('trial.claims')}</Table.Caption>
          <Table.Tbody>
            {facts.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{t(`trial.facts.${name}`)}</Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value || t('trial.nothing')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {claims.groupsProblem && (
          <Alert
            variant="light"
            color={claims.groupsProblem === 'missing' ? 'gray' : 'yellow'}
            title={t('trial.facts.groups')}
            icon={<IconInfoCircle size={18} />}
          >
            {t(`trial.groupsProblems.${claims.groupsProblem}`)}
          </Alert>
        )}
        <Button onClick={() => window.close()}>{t('trial.close')}</Button>
      </Stack>
    </AuthLayout>
  )
}
