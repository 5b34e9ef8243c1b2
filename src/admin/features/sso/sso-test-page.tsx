import { Alert, Button, Stack, Table, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { AuthLayout } from '#admin/features/shell/auth-layout.tsx'
import { rolesQuery } from '#admin/lib/queries.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import type { SsoTestResult } from '#shared/contract/sso.ts'

const looks = {
  signIn: { color: 'green', icon: <IconCircleCheck size={18} /> },
  link: { color: 'blue', icon: <IconInfoCircle size={18} /> },
  refused: { color: 'red', icon: <IconAlertTriangle size={18} /> },
}

/** The result of an SSO test: the effect of a real sign-in, and the identity provider's claims. */
export function SsoTestPage({ p, testResult }: { p: string; testResult: SsoTestResult }) {
  const t = useTranslations('sso')
  const roles = useRoleNames(useQuery(rolesQuery(p)).data)
  const { claims, result, reason, email, roleId } = testResult
  const values = { email: email ?? '', role: roleId ? roles.nameOf(roleId) : '' }
  const facts = [
    ['issuer', claims.issuer],
    ['subject', claims.subject],
    ['email', claims.email],
    ['name', claims.name],
    ['groups', claims.groups.join(', ')],
  ] as const
  return (
    <AuthLayout title={t('testResult.title')}>
      <Stack gap="md">
        <Alert variant="light" role="status" {...looks[result]}>
          {t(`testResult.results.${result === 'link' && email === null ? 'linkOfMember' : result}`, values)}
          {reason && ` ${t(`refusals.reasons.${reason}`)}`}
        </Alert>
        <Text size="sm" c="dimmed">
          {t('testResult.text')}
        </Text>
        <Table>
          <Table.Caption>{t('testResult.claims')}</Table.Caption>
          <Table.Tbody>
            {facts.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{t(`testResult.facts.${name}`)}</Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value || t('testResult.nothing')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {claims.groupsProblem && (
          <Alert
            variant="light"
            color={claims.groupsProblem === 'missing' ? 'gray' : 'yellow'}
            title={t('testResult.facts.groups')}
            icon={<IconInfoCircle size={18} />}
          >
            {t(`testResult.groupsProblems.${claims.groupsProblem}`)}
          </Alert>
        )}
        <Button onClick={() => window.close()}>{t('testResult.close')}</Button>
      </Stack>
    </AuthLayout>
  )
}
