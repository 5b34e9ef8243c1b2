import { Alert, Anchor, Select, Switch, Text, Textarea } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { type FormBody, useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { Security } from '#shared/contract/security.ts'
import { allRights, creatorRoles } from '#shared/permissions.ts'
import { PendingRanges } from './pending-ranges.tsx'
import { securityQuery } from './security.queries.ts'
import { rangesOf, settingsOf, unlimited, type Values, valuesOf } from './values.ts'

const hours = ['1', '4', '8', '12', '24', '72', '168']
const days = ['30', '90', '180', '365', '730', '1825']

interface SecurityFormProps {
  p: string
  security: Security
  yourAddress: string
}

/**
 * The space's security settings: permitted IP ranges of members and API tokens, sign-in, visibility of email addresses,
 * and retention of the audit log.
 */
export function SecurityForm({ p, security, yourAddress }: SecurityFormProps) {
  const t = useTranslations('security')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const save = (body: FormBody<'PUT /api/project/{p}/security'>) =>
    api('PUT /api/project/{p}/security', { params: { p }, body })
  function saved(answer: Awaited<ReturnType<typeof save>>): void {
    queryClient.setQueryData(securityQuery(p).queryKey, answer)
    toast.success(common('saved'))
  }
  const toBody = (values: Values) => ({ data: { ...settingsOf(values), version: security.version } })

  const form = useEndpointForm('PUT /api/project/{p}/security', {
    values: valuesOf(security),
    send: save,
    toBody,
    paths: {
      restrictsMembers: null,
      ipRanges: 'data.ipRanges',
      restrictsTokens: null,
      tokenIpRanges: 'data.tokenIpRanges',
      sessionHours: null,
      secondFactorRequired: 'data.secondFactorRequired',
      ssoRequired: 'data.ssoRequired',
      ssoExemptAccountId: 'data.ssoExemptAccountId',
      auditDays: null,
      addressesVisible: null,
    },
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
    issueText: ({ path }, name, values) => {
      if (name !== 'ipRanges' && name !== 'tokenIpRanges') return null
      // For `data.ipRanges.3`: names the invalid range as it was typed.
      const range = rangesOf(values[name])[Number(path.split('.')[2])]
      return range === undefined ? null : t('ranges.invalid', { range })
    },
    saved,
    failed: confirmConsequence,
  })
  /**
   * If the server refused the settings because they would lock out the caller or sites, asks for confirmation and saves
   * again. Returns false for other errors.
   */
  function confirmConsequence(error: unknown, values: Values, confirmed: Confirmed = {}): boolean {
    const consequence = error instanceof ApiError ? consequenceOf(error) : null
    if (!consequence) return false
    const { flag, ...texts } = consequence
    confirm({
      ...texts,
      danger: true,
      run: () => {
        const flags = { ...confirmed, [flag]: true }
        return save({ ...toBody(values), ...flags }).then(saved, (refusal: unknown) => {
          if (!confirmConsequence(refusal, values, flags)) throw refusal
        })
      },
    })
    return true
  }

  function consequenceOf({ code, details: { reason } }: ApiError) {
    if (code === 'WouldLimitTokens')
      return {
        flag: 'limitTokens',
        title: t('limitTokens.title'),
        message: t('limitTokens.text'),
        action: t('limitTokens.action'),
      } as const
    if (code !== 'WouldLockOutYourself') return null
    return {
      flag: 'lockOutMyself',
      title: t('lockOut.title'),
      message:
        reason === 'address'
          ? t('lockOut.address', { address: yourAddress })
          : t(reason === 'sso' ? 'lockOut.sso' : 'lockOut.session'),
      action: t('lockOut.action'),
    } as const
  }
  const { values, set, field, errorOf } = form
  const can = useCanInSpace(p)
  const mayLimitTokens = allRights.every((right) => can(right))

  return (
    <EndpointForm form={form} guarded ofSections>
      <Section title={t('members.title')} description={t('members.text')}>
        <FormStack>
          <Alert icon={<IconInfoCircle size={18} />} variant="light">
            {t('yourAddress', { address: yourAddress })}
          </Alert>
          {security.ipRangesPendingUntil !== null && (
            <PendingRanges
              p={p}
              of="members"
              endsAt={security.ipRangesPendingUntil}
              version={security.version}
            />
          )}
          <Switch
            label={t('members.restrict')}
            checked={values.restrictsMembers}
            onChange={(event) => set('restrictsMembers', event.currentTarget.checked)}
          />
          {values.restrictsMembers && <Ranges label={t('members.ranges')} {...field('ipRanges')} />}
        </FormStack>
      </Section>
      <Section title={t('signIn.title')} description={t('signIn.text')}>
        <FormStack>
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
          {security.ssoRequired && security.ssoExemptAccountId === null && (
            <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />}>
              {t('signIn.exemptGone')}
            </Alert>
          )}
          {values.ssoRequired && (
            <ExemptAdmin
              p={p}
              value={values.ssoExemptAccountId}
              onChange={(accountId) => set('ssoExemptAccountId', accountId)}
              error={errorOf('ssoExemptAccountId')}
            />
          )}
        </FormStack>
      </Section>
      <Section title={t('tokens.title')} description={t('tokens.text')}>
        <FormStack>
          {security.tokenIpRangesPendingUntil !== null && (
            <PendingRanges
              p={p}
              of="tokens"
              endsAt={security.tokenIpRangesPendingUntil}
              version={security.version}
            />
          )}
          <Switch
            label={t('tokens.restrict')}
            description={mayLimitTokens ? undefined : t('tokens.needsAllRights')}
            checked={values.restrictsTokens}
            disabled={!mayLimitTokens && !values.restrictsTokens}
            onChange={(event) => set('restrictsTokens', event.currentTarget.checked)}
          />
          {values.restrictsTokens && (
            <>
              <Ranges label={t('tokens.ranges')} {...field('tokenIpRanges')} />
              <Text size="sm" c="dimmed">
                {t('tokens.browsers')}
              </Text>
            </>
          )}
        </FormStack>
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
      <SaveBar form={form} mb="xl" />
    </EndpointForm>
  )
}

/** The consequences that the member has confirmed, as flags of the request. */
type Confirmed = Pick<FormBody<'PUT /api/project/{p}/security'>, 'lockOutMyself' | 'limitTokens'>

/** Returns the choices with the current value, which may have been set by other means than this form. */
const withOwn = (choices: string[], own: string) =>
  own === unlimited || choices.includes(own)
    ? choices
    : [...choices, own].sort((one, other) => Number(one) - Number(other))

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

/** Selects the admin who may sign in without SSO, in case the identity provider fails. */
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
