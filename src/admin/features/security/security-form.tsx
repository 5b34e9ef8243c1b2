import { Alert, Anchor, Button, Group, Select, Stack, Switch, Text, Textarea } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { Security } from '#shared/contract/security.ts'
import { creatorRoles } from '#shared/permissions.ts'
import { securityQuery } from './security.queries.ts'
import { Trial } from './trial.tsx'
import { rangesOf, settingsOf, unlimited, type Values, valuesOf } from './values.ts'

const hours = ['1', '4', '8', '12', '24', '72', '168']
const days = ['30', '90', '180', '365', '730', '1825']

interface SecurityFormProps {
  p: string
  security: Security
  yourAddress: string
}

/** Who comes in from where, for how long, and what is kept of it. */
export function SecurityForm({ p, security, yourAddress }: SecurityFormProps) {
  const t = useTranslations('security')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  /** What the server could not read as a range. */
  const [wrong, setWrong] = useState<string | null>(null)

  async function save(sent: Values, lockOutMyself: boolean) {
    const answer = await api('PUT /api/project/{p}/security', {
      params: { p },
      body: { data: { ...settingsOf(sent), version: security.version }, lockOutMyself },
    })
    queryClient.setQueryData(securityQuery(p).queryKey, answer)
    toast.success(common('saved'))
  }

  const { values, set, field, problem, saving, isDirty, errorOf, onSubmit } = useContractForm<Values>({
    defaultValues: valuesOf(security),
    check: ({
      restrictsMembers,
      ipRanges,
      restrictsTokens,
      tokenIpRanges,
      ssoRequired,
      ssoExemptAccountId,
    }) => ({
      ssoExemptAccountId: ssoRequired && !ssoExemptAccountId ? t('signIn.exemptNeeded') : null,
      ipRanges: restrictsMembers && rangesOf(ipRanges).length === 0 ? t('ranges.required') : null,
      tokenIpRanges: restrictsTokens && rangesOf(tokenIpRanges).length === 0 ? t('ranges.required') : null,
    }),
    submit: async (sent) => {
      try {
        await save(sent, false)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const wrong = wrongRange(error, sent)
        setWrong(wrong?.range ?? null)
        if (wrong)
          throw new ApiError(400, { code: error.code, issues: [{ path: wrong.name, code: 'InvalidFormat' }] })
        if (error.code !== 'WouldLockOutYourself') throw error
        const { reason } = error.details
        confirm({
          title: t('lockOut.title'),
          message:
            reason === 'address'
              ? t('lockOut.address', { address: yourAddress })
              : t(reason === 'sso' ? 'lockOut.sso' : 'lockOut.session'),
          action: t('lockOut.action'),
          danger: true,
          run: () => save(sent, true),
        })
        throw error
      }
    },
  })
  const rangesError = (name: 'ipRanges' | 'tokenIpRanges') =>
    errorOf(name) && wrong !== null ? t('ranges.invalid', { range: wrong }) : errorOf(name)

  return (
    <form onSubmit={onSubmit} noValidate>
      <UnsavedGuard when={isDirty} />
      <FormProblem text={problem} />
      <Section title={t('members.title')} description={t('members.text')}>
        <Stack gap="md">
          <Alert icon={<IconInfoCircle size={18} />} variant="light">
            {t('yourAddress', { address: yourAddress })}
          </Alert>
          {security.trialEndsAt !== null && <Trial p={p} endsAt={security.trialEndsAt} />}
          <Switch
            label={t('members.restrict')}
            checked={values.restrictsMembers}
            onChange={(event) => set('restrictsMembers', event.currentTarget.checked)}
          />
          {values.restrictsMembers && (
            <Ranges label={t('members.ranges')} {...field('ipRanges')} error={rangesError('ipRanges')} />
          )}
        </Stack>
      </Section>
      <Section title={t('signIn.title')} description={t('signIn.text')}>
        <Stack gap="md">
          <Select
            label={t('signIn.session')}
            description={t('signIn.sessionHint')}
            data={[
              { value: unlimited, label: t('signIn.unlimited') },
              ...withOwn(hours, values.sessionHours).map((value) => ({
                value,
                label: t('signIn.hours', { count: Number(value) }),
              })),
            ]}
            value={values.sessionHours}
            onChange={(value) => value && set('sessionHours', value)}
            allowDeselect={false}
          />
          <Switch
            label={t('signIn.secondFactor')}
            description={t('signIn.secondFactorHint')}
            checked={values.secondFactorRequired}
            onChange={(event) => set('secondFactorRequired', event.currentTarget.checked)}
            error={
              errorOf('secondFactorRequired') && (
                <>
                  {t('signIn.secondFactorFirst')}{' '}
                  <Anchor size="xs" renderRoot={(props) => <Link {...props} to="/account/two-factor" />}>
                    {t('refused.account')}
                  </Anchor>
                </>
              )
            }
          />
          <Switch
            label={t('signIn.sso')}
            description={t('signIn.ssoHint')}
            checked={values.ssoRequired}
            onChange={(event) => set('ssoRequired', event.currentTarget.checked)}
            error={errorOf('ssoRequired') && t('signIn.ssoFirst')}
          />
          {values.ssoRequired && (
            <ExemptAdmin
              p={p}
              value={values.ssoExemptAccountId}
              onChange={(accountId) => set('ssoExemptAccountId', accountId)}
              error={errorOf('ssoExemptAccountId')}
            />
          )}
        </Stack>
      </Section>
      <Section title={t('tokens.title')} description={t('tokens.text')}>
        <Stack gap="md">
          <Switch
            label={t('tokens.restrict')}
            checked={values.restrictsTokens}
            onChange={(event) => set('restrictsTokens', event.currentTarget.checked)}
          />
          {values.restrictsTokens && (
            <>
              <Ranges
                label={t('tokens.ranges')}
                {...field('tokenIpRanges')}
                error={rangesError('tokenIpRanges')}
              />
              <Text size="sm" c="dimmed">
                {t('tokens.browsers')}
              </Text>
            </>
          )}
        </Stack>
      </Section>
      <Section title={t('addresses.title')} description={t('addresses.text')}>
        <Switch
          label={t('addresses.visible')}
          checked={values.addressesVisible}
          onChange={(event) => set('addressesVisible', event.currentTarget.checked)}
        />
      </Section>
      <Section title={t('audit.title')} description={t('audit.text')}>
        <Select
          label={t('audit.days')}
          data={[
            { value: unlimited, label: t('audit.unlimited') },
            ...withOwn(days, values.auditDays).map((value) => ({
              value,
              label: t('audit.count', { count: Number(value) }),
            })),
          ]}
          value={values.auditDays}
          onChange={(value) => value && set('auditDays', value)}
          allowDeselect={false}
        />
      </Section>
      <Group mb="xl">
        <Button type="submit" loading={saving}>
          {common('save')}
        </Button>
      </Group>
    </form>
  )
}

/** One that was set elsewhere is among the choices too. */
const withOwn = (choices: string[], own: string) =>
  own === unlimited || choices.includes(own)
    ? choices
    : [...choices, own].sort((one, other) => Number(one) - Number(other))

/** The range that the server did not understand, as it was written. */
function wrongRange(error: ApiError, values: Values) {
  for (const { path } of error.issues) {
    const [, name, index] = /^data\.(ipRanges|tokenIpRanges)\.(\d+)$/.exec(path) ?? []
    if (name === 'ipRanges' || name === 'tokenIpRanges')
      return { name, range: rangesOf(values[name])[Number(index)] ?? '' } as const
  }
  return null
}

function Ranges(props: { label: string; error: string | null | undefined } & object) {
  const t = useTranslations('security.ranges')
  return (
    <Textarea
      {...props}
      description={t('hint')}
      placeholder={'203.0.113.0/24\n2001:db8::/32'}
      autosize
      minRows={3}
      maxRows={12}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      required
    />
  )
}

interface ExemptAdminProps {
  p: string
  value: string
  onChange(accountId: string): void
  error: string | null | undefined
}

/** Who comes in without SSO if the identity provider fails. */
function ExemptAdmin({ p, value, onChange, error }: ExemptAdminProps) {
  const t = useTranslations('security.signIn')
  const common = useTranslations('common')
  const { data } = useQuery({
    queryKey: ['space', p, 'admins'],
    queryFn: ({ signal }) =>
      api('GET /api/project/{p}/members', {
        params: { p },
        query: { role: creatorRoles.project, limit: 1000, select: 'accountId,name,email' },
        signal,
      }),
  })
  const admins = (data?.members ?? []).flatMap(({ accountId, name, email }) =>
    accountId
      ? [
          {
            value: accountId,
            label: name && email ? `${name}（${email}）` : name || email || common('nameless'),
          },
        ]
      : [],
  )
  return (
    <Select
      label={t('exempt')}
      description={t('exemptHint')}
      data={admins}
      value={value || null}
      onChange={(accountId) => onChange(accountId ?? '')}
      error={error && (value ? t('exemptWrong') : t('exemptNeeded'))}
      searchable
      required
    />
  )
}
