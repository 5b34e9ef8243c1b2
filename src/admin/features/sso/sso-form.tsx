import { Button, Group, Input, PasswordInput, Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { SsoConnection, SsoMetadata } from '#shared/contract/sso.ts'
import { MetadataReader } from './metadata.tsx'
import { putSso } from './sso.queries.ts'

/** Domains as they are typed, parted by lines, spaces and commas, also in full width. */
const domainsOf = (text: string) =>
  text
    .normalize('NFKC')
    .split(/[\s,、]+/)
    .filter((part) => part !== '')

/** From metadata, to be registered with the next save. */
const noCertificates: string[] = []

/** Who the identity provider is, and who may come in by it. */
interface SsoFormProps {
  p: string
  saved: SsoConnection | null
  /** What the identity provider is to be told, known before anything is saved. */
  ours: SsoConnection['ours']
}

export function SsoForm({ p, saved, ours }: SsoFormProps) {
  const t = useTranslations('sso.form')
  const told = useTranslations('sso.ours')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const [wrong, setWrong] = useState<string | null>(null)
  const { values, set, field, problem, saving, isDirty, errorOf, onSubmit } = useContractForm({
    defaultValues: {
      kind: saved?.kind ?? ('saml' as SsoConnection['kind']),
      domains: (saved?.domains ?? []).map(({ domain }) => domain).join('\n'),
      entityId: saved?.saml.entityId ?? '',
      signInUrl: saved?.saml.signInUrl ?? '',
      idpInitiated: saved?.saml.idpInitiated ?? false,
      certificates: noCertificates,
      issuer: saved?.oidc.issuer ?? '',
      clientId: saved?.oidc.clientId ?? '',
      clientSecret: '',
      groupsName: saved?.groupsName ?? 'groups',
      provisions: saved?.provisions ?? true,
    },
    texts: { InvalidRoleChange: t('notYours') },
    submit: async (sent) => {
      const domains = domainsOf(sent.domains)
      const { kind, entityId, signInUrl, idpInitiated, certificates, issuer, clientId, clientSecret } = sent
      const ofKind =
        kind === 'saml'
          ? { saml: { entityId, signInUrl, idpInitiated, certificates: certificates.slice(-2) } }
          : { oidc: { issuer, clientId, ...(clientSecret ? { clientSecret } : {}) } }
      const { groupsName, provisions } = sent
      const data = { kind, domains, groupsName, provisions, version: saved?.version ?? 0, ...ofKind }
      try {
        const answer = await api('PUT /api/project/{p}/sso', { params: { p }, body: { data } })
        putSso(queryClient, p, answer.sso)
        toast.success(common('saved'))
      } catch (error) {
        const issue =
          error instanceof ApiError && error.issues.find(({ path }) => path.startsWith('data.domains.'))
        if (!issue) throw error
        setWrong(domains[Number(issue.path.split('.')[2])] ?? '')
        throw new ApiError(400, { code: 'ValidationFailed', issues: [{ path: 'domains', code: issue.code }] })
      }
    },
  })
  const domainsError =
    errorOf('domains') && wrong !== null ? t('wrongDomain', { domain: wrong }) : errorOf('domains')
  function takeOver({ entityId, signInUrl, certificates }: SsoMetadata): void {
    set('entityId', entityId)
    set('signInUrl', signInUrl)
    const pems = certificates.map(({ pem }) => pem)
    set('certificates', pems)
  }
  const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } }

  return (
    <form onSubmit={onSubmit} noValidate autoComplete="off">
      <UnsavedGuard when={isDirty} />
      <FormProblem text={problem} />
      <Section title={t('title')} description={t('text')}>
        <Stack gap="md">
          <Radio.Group
            label={t('kind')}
            value={values.kind}
            onChange={(kind) => set('kind', kind as SsoConnection['kind'])}
          >
            <Group mt={4}>
              <Radio value="saml" label="SAML 2.0" />
              <Radio value="oidc" label="OpenID Connect" />
            </Group>
          </Radio.Group>
          <Input.Wrapper label={told('title')} description={told('text')} labelElement="div">
            <Stack gap="xs" mt={4}>
              {values.kind === 'saml' ? (
                <>
                  <CopyField label={told('entityId')} value={ours.entityId} copyLabel={told('copy')} />
                  <CopyField label={told('acsUrl')} value={ours.acsUrl} copyLabel={told('copy')} />
                </>
              ) : (
                <CopyField label={told('redirectUri')} value={ours.redirectUri} copyLabel={told('copy')} />
              )}
            </Stack>
          </Input.Wrapper>
          {values.kind === 'saml' ? (
            <>
              <MetadataReader p={p} onRead={takeOver} />
              <TextInput {...field('entityId')} label={t('entityId')} spellCheck={false} styles={mono} />
              <TextInput
                {...field('signInUrl')}
                label={t('signInUrl')}
                type="url"
                placeholder="https://"
                styles={mono}
              />
              <Switch
                label={t('idpInitiated')}
                description={t('idpInitiatedHint')}
                checked={values.idpInitiated}
                onChange={(event) => set('idpInitiated', event.currentTarget.checked)}
              />
            </>
          ) : (
            <>
              <TextInput
                {...field('issuer')}
                label={t('issuer')}
                description={t('issuerHint')}
                type="url"
                placeholder="https://"
                styles={mono}
              />
              <TextInput {...field('clientId')} label={t('clientId')} spellCheck={false} styles={mono} />
              <PasswordInput
                {...field('clientSecret')}
                label={t('clientSecret')}
                description={saved?.oidc.hasSecret ? t('secretIsKept') : t('secretHint')}
                autoComplete="new-password"
                visibilityToggleButtonProps={{ 'aria-label': t('showSecret') }}
              />
            </>
          )}
        </Stack>
      </Section>
      <Section title={t('people.title')} description={t('people.text')}>
        <Stack gap="md">
          <Textarea
            {...field('domains')}
            label={t('people.domains')}
            description={t('people.domainsHint')}
            placeholder="example.co.jp"
            error={domainsError}
            autosize
            minRows={2}
            maxRows={10}
            spellCheck={false}
            styles={mono}
          />
          <Switch
            label={t('people.provisions')}
            description={t('people.provisionsHint')}
            checked={values.provisions}
            onChange={(event) => set('provisions', event.currentTarget.checked)}
          />
          <TextInput
            {...field('groupsName')}
            label={t('people.groupsName')}
            description={t('people.groupsNameHint')}
            spellCheck={false}
            styles={mono}
          />
        </Stack>
      </Section>
      <Group mb="xl">
        <Button type="submit" loading={saving}>
          {common('save')}
        </Button>
      </Group>
    </form>
  )
}
