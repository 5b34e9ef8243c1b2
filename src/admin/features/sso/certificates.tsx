import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { SsoCertificate } from '#shared/contract/sso.ts'
import { ssoQuery } from './sso.queries.ts'

/** Days before its end in which a certificate is pointed at. */
const soon = 30

/** With what the identity provider signs: the present certificate, and the next one before that one ends. */
export function Certificates({ p, certificates }: { p: string; certificates: SsoCertificate[] }) {
  const t = useTranslations('sso.certificates')
  const notYours = useTranslations('sso.form')('notYours')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const { field, problem, saving, onSubmit, errorOf, set } = useContractForm({
    defaultValues: { certificate: '' },
    check: ({ certificate }) => ({ certificate: certificate.trim() ? null : t('wrong') }),
    texts: { InvalidRoleChange: notYours },
    submit: async ({ certificate }) => {
      try {
        await api('POST /api/project/{p}/sso/certificate', { params: { p }, body: { certificate } })
      } catch (error) {
        if (error instanceof ApiError && error.issues.length > 0)
          throw new ApiError(400, {
            code: error.code,
            issues: [{ path: 'certificate', code: 'InvalidFormat' }],
          })
        throw error
      }
      await queryClient.invalidateQueries({ queryKey: ssoQuery(p).queryKey })
      set('certificate', '')
      toast.success(t('added'))
    },
  })
  const daysLeft = (date: string) => Math.floor((new Date(date).getTime() - Date.now()) / 86_400_000)
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="md">
        {certificates.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('none')}
          </Text>
        )}
        {certificates.map(({ fingerprint, subject, endsAt }) => (
          <div key={fingerprint}>
            <Text fw={600}>{subject}</Text>
            <Text size="sm" {...(daysLeft(endsAt) < soon ? { c: 'red', fw: 600 } : { c: 'dimmed' })}>
              {daysLeft(endsAt) < 0
                ? t('ended')
                : t('endsAt', { date: format.dateTime(new Date(endsAt), { dateStyle: 'long' }) })}
            </Text>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              SHA-256: {fingerprint}
            </Text>
          </div>
        ))}
        <form onSubmit={onSubmit} noValidate>
          <Stack gap="sm" align="stretch">
            <FormProblem text={problem} />
            <Textarea
              {...field('certificate')}
              label={t(certificates.length === 0 ? 'first' : 'next')}
              error={errorOf('certificate') && t('wrong')}
              placeholder="-----BEGIN CERTIFICATE-----"
              minRows={4}
              maxRows={10}
              autosize
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            />
            <Group>
              <Button type="submit" variant="default" loading={saving}>
                {t('add')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
    </Section>
  )
}
