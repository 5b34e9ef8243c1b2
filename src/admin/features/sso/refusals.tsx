import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { Section } from '#admin/ui/section.tsx'
import { ssoRefusalsQuery } from './sso.queries.ts'

/** Lists refused sign-ins with their reasons. The users who tried to sign in did not see these reasons. */
export function Refusals({ p }: { p: string }) {
  const t = useTranslations('sso.refusals')
  const format = useFormatter()
  const { data, error, isFetching, refetch } = useQuery(ssoRefusalsQuery(p))
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {data?.map(({ at, reason, detail, email, ip }) => (
          <li key={`${at} ${ip}`}>
            <Text fw={600}>{t(`reasons.${reason}`)}</Text>
            <Text size="sm" c="dimmed">
              {format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'medium' })}
              {email && ` · ${email}`}
              {ip && ` · ${ip}`}
            </Text>
            {detail && (
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }} lang="en">
                {detail}
              </Text>
            )}
          </li>
        ))}
      </Stack>
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('none')}
        </Text>
      )}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {errorText(error)}
        </Text>
      )}
      <Group mt="md">
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          {t('refresh')}
        </Button>
      </Group>
    </Section>
  )
}
