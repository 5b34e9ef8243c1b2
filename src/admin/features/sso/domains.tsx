import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { ResponseOf } from '#shared/contract/endpoint.ts'
import type { SsoDomain, ssoEndpoints } from '#shared/contract/sso.ts'
import { putSso } from './sso.queries.ts'

/** The domains with their verification status, and instructions to verify a domain. */
export function Domains({ p, domains }: { p: string; domains: SsoDomain[] }) {
  const t = useTranslations('sso.domains')
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="xl">
        {domains.map((domain) => (
          <Domain key={domain.domain} p={p} {...domain} />
        ))}
      </Stack>
    </Section>
  )
}

function Domain({ p, domain, proof, record, checkedAt }: { p: string } & SsoDomain) {
  const t = useTranslations('sso.domains')
  const texts = { InvalidRoleChange: useTranslations('sso.form')('notYours') }
  const format = useFormatter()
  const isInstallationAdmin = useAccount()?.isAdmin === true
  const queryClient = useQueryClient()
  const check = useMutation({
    mutationFn: () => api('POST /api/project/{p}/sso/domain:check', { params: { p }, body: { domain } }),
    onSuccess: show,
  })

  function show({ sso, problem }: ResponseOf<(typeof ssoEndpoints)['checkSsoDomain']>): void {
    putSso(queryClient, p, sso)
    if (problem === null) toast.success(t('done', { domain }))
  }

  function confirmByHand(): void {
    confirm({
      title: t('confirm'),
      message: t('confirmText', { domain }),
      action: t('confirmAction'),
      texts,
      run: async () => {
        show(await api('POST /api/project/{p}/sso/domain:confirm', { params: { p }, body: { domain } }))
      },
    })
  }

  const problem = check.error
    ? errorText(check.error, texts)
    : check.data?.problem && t(`problems.${check.data.problem}`)
  return (
    <Stack gap="sm" component="section" aria-label={domain}>
      <Group gap="sm">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {domain}
        </Text>
        <Badge variant="light" color={proof === null ? 'gray' : 'mizu'} tt="none">
          {proof === null ? t('pending') : proof === 'operator' ? t('byOperator') : t('proven')}
        </Badge>
      </Group>
      {proof === null && (
        <>
          <Text size="sm">{t('howTo')}</Text>
          <CopyField label={t('name')} value={record.name} copyLabel={t('copyName', { domain })} />
          <CopyField label={t('value')} value={record.value} copyLabel={t('copyValue', { domain })} />
          <Group gap="sm">
            <Button
              variant="default"
              loading={check.isPending}
              onClick={() => check.mutate()}
              aria-label={t('checkOf', { domain })}
            >
              {t('check')}
            </Button>
            {isInstallationAdmin && (
              <Button variant="subtle" onClick={confirmByHand} aria-label={t('confirmOf', { domain })}>
                {t('confirm')}
              </Button>
            )}
            {checkedAt && (
              <Text size="sm" c="dimmed">
                {t('checkedAt', {
                  date: format.dateTime(new Date(checkedAt), { dateStyle: 'medium', timeStyle: 'short' }),
                })}
              </Text>
            )}
          </Group>
          {problem && (
            <Alert variant="light" color="red" role="alert" icon={<IconAlertTriangle size={18} />}>
              {problem}
            </Alert>
          )}
        </>
      )}
    </Stack>
  )
}
