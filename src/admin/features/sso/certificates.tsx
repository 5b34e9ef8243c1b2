import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import { maximumCertificates, type SsoCertificate } from '#shared/contract/sso.ts'
import { ssoQuery } from './sso.queries.ts'

/** Certificates with fewer days left are highlighted. */
const soon = 30

/** The identity provider's signing certificates. Another one can be added before the current one expires. */
export function Certificates({ p, certificates }: { p: string; certificates: SsoCertificate[] }) {
  const t = useTranslations('sso.certificates')
  const form = useTranslations('sso.form')
  const notYours = form('notYours')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const { field, problem, saving, formProps, errorOf, set } = useEndpointForm(
    'POST /api/project/{p}/sso/certificate',
    {
      values: { certificate: '' },
      params: { p },
      toBody: (values) => values,
      paths: { certificate: 'certificate' },
      check: ({ certificate }) => ({ certificate: certificate.trim() ? null : t('wrong') }),
      issueText: ({ code }) =>
        code === 'TooManyItems' ? form('tooManyCertificates', { maximum: maximumCertificates }) : t('wrong'),
      texts: { InvalidRoleChange: notYours },
      saved: async () => {
        await queryClient.invalidateQueries({ queryKey: ssoQuery(p).queryKey })
        set('certificate', '')
        toast.success(t('added'))
      },
    },
  )
  function remove(fingerprint: string): void {
    confirm({
      title: t('deleteTitle'),
      message: t('deleteText', { fingerprint }),
      action: t('deleteAction'),
      danger: true,
      texts: { InvalidRoleChange: notYours },
      run: async () => {
        await api('DELETE /api/project/{p}/sso/certificate/{fingerprint}', { params: { p, fingerprint } })
        await queryClient.invalidateQueries({ queryKey: ssoQuery(p).queryKey })
        toast.success(t('deleted'))
      },
    })
  }
  const endOf = (date: string) => format.dateTime(new Date(date), { dateStyle: 'long' })
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
            <Text
              size="sm"
              {...(daysLeft(endsAt) < soon ? { c: 'var(--mantine-color-error)', fw: 600 } : { c: 'dimmed' })}
            >
              {daysLeft(endsAt) < 0 ? t('ended') : t('endsAt', { date: endOf(endsAt) })}
            </Text>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              SHA-256: {fingerprint}
            </Text>
            {certificates.length > 1 && (
              <Button
                mt={4}
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={t('deleteOf', { subject, date: endOf(endsAt) })}
                onClick={() => remove(fingerprint)}
              >
                {t('delete')}
              </Button>
            )}
          </div>
        ))}
        <form {...formProps}>
          <FormStack>
            <FormProblem text={problem} />
            <Textarea
              {...field('certificate')}
              label={t(certificates.length === 0 ? 'first' : 'next')}
              error={errorOf('certificate')}
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
          </FormStack>
        </form>
      </Stack>
    </Section>
  )
}
