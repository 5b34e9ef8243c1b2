import { Group, Input, PasswordInput, Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import { maximumCertificates, type SsoConnection, type SsoMetadata } from '#shared/contract/sso.ts'
import { MetadataReader } from './metadata.tsx'
import { protocolNames } from './protocols.ts'
import { putSso } from './sso.queries.ts'

/** Splits domains or scopes at line breaks, spaces and commas, including full-width ones. */
const partsOf = (text: string) =>
  text
    .normalize('NFKC')
    .split(/[\s,、]+/)
    .filter((part) => part !== '')

/** Initial value: no certificates. The next save registers certificates that were read from metadata. */
const noCertificates: string[] = []

interface Endpoints {
  entityId: string
  signInUrl: string
  idpInitiated: boolean
  certificates: string[]
  samlGroups: string
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string
  oidcGroups: string
}

const samlOf = ({ entityId, signInUrl, idpInitiated, certificates, samlGroups }: Endpoints) => ({
  entityId,
  signInUrl,
  idpInitiated,
  certificates,
  groupsName: samlGroups,
})

/** Returns the OIDC settings to send. Without a new secret, the stored one stays. */
const oidcOf = ({ issuer, clientId, clientSecret, scopes, oidcGroups }: Endpoints) => ({
  issuer,
  clientId,
  scopes: partsOf(scopes),
  groupsName: oidcGroups,
  ...(clientSecret ? { clientSecret } : {}),
})

/** Returns the form's values before the user changes anything. */
export const valuesOf = (saved: SsoConnection | null) => ({
  domains: (saved?.domains ?? []).map(({ domain }) => domain).join('\n'),
  entityId: saved?.saml.entityId ?? '',
  signInUrl: saved?.saml.signInUrl ?? '',
  idpInitiated: saved?.saml.idpInitiated ?? false,
  certificates: noCertificates,
  samlGroups: saved?.saml.groupsName ?? 'groups',
  issuer: saved?.oidc.issuer ?? '',
  clientId: saved?.oidc.clientId ?? '',
  clientSecret: '',
  scopes: (saved?.oidc.scopes ?? []).join(' '),
  oidcGroups: saved?.oidc.groupsName ?? 'groups',
  provisions: saved?.provisions ?? true,
})

const inputs: Record<SsoConnection['kind'], readonly string[]> = {
  saml: ['entityId', 'signInUrl', 'certificates', 'samlGroups'],
  oidc: ['issuer', 'clientId', 'clientSecret', 'scopes', 'oidcGroups'],
}

interface SsoFormProps {
  p: string
  saved: SsoConnection | null
  /** The values to enter at the identity provider, known before the first save. */
  ours: SsoConnection['ours']
  /** The protocol whose settings are shown. */
  kind: SsoConnection['kind']
  show: (kind: SsoConnection['kind']) => void
  onSaved: () => void
}

/**
 * Edits the identity provider's settings, and the rules for sign-in. While the protocol in use is complete, the other
 * protocol is only prepared here. Otherwise a save puts the shown protocol into use.
 */
export function SsoForm({ p, saved, ours, kind, show, onSaved }: SsoFormProps) {
  const t = useTranslations('sso.form')
  const told = useTranslations('sso.ours')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const form = useEndpointForm('PUT /api/project/{p}/sso', {
    values: valuesOf(saved),
    params: { p },
    toBody: ({ domains, provisions, ...of }) => ({
      data: {
        kind: saved?.isComplete ? saved.kind : kind,
        domains: partsOf(domains),
        provisions,
        version: saved?.version ?? 0,
        saml: samlOf(of),
        oidc: oidcOf(of),
      },
    }),
    paths: {
      domains: 'data.domains',
      entityId: 'data.saml.entityId',
      signInUrl: 'data.saml.signInUrl',
      idpInitiated: null,
      certificates: 'data.saml.certificates',
      samlGroups: 'data.saml.groupsName',
      issuer: 'data.oidc.issuer',
      clientId: 'data.oidc.clientId',
      clientSecret: 'data.oidc.clientSecret',
      scopes: 'data.oidc.scopes',
      oidcGroups: 'data.oidc.groupsName',
      provisions: null,
    },
    texts: { InvalidRoleChange: t('notYours') },
    issueText: ({ path, code }, name, values) => {
      if (name === 'scopes') return t('wrongScope')
      if (name === 'certificates' && code === 'TooManyItems')
        return t('tooManyCertificates', { maximum: maximumCertificates })
      // For `data.domains.2`: names the invalid domain as entered.
      const domain = name === 'domains' ? partsOf(values.domains)[Number(path.split('.')[2])] : undefined
      return domain === undefined ? null : t('wrongDomain', { domain })
    },
    reveal: (names) => {
      const isAnyOf = (of: SsoConnection['kind']) => names.some((name) => inputs[of].includes(name))
      const hidden = kind === 'saml' ? 'oidc' : 'saml'
      if (isAnyOf(hidden) && !isAnyOf(kind)) show(hidden)
    },
    saved: ({ sso }) => {
      putSso(queryClient, p, sso)
      onSaved()
      toast.success(common('saved'))
    },
  })
  const { values, set, field, errorOf } = form
  function takeOver({ entityId, signInUrl, certificates }: SsoMetadata): void {
    set('entityId', entityId)
    set('signInUrl', signInUrl)
    const pems = certificates.map(({ pem }) => pem)
    set('certificates', pems)
  }
  const mono = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } }

  return (
    <EndpointForm form={form} guarded ofSections autoComplete="off">
      <Section title={t('title')} description={t('text')}>
        <FormStack>
          <Radio.Group
            label={t('kind')}
            description={saved?.isComplete ? t('inUse', { protocol: protocolNames[saved.kind] }) : undefined}
            value={kind}
            onChange={(value) => show(value as SsoConnection['kind'])}
          >
            <Group mt={4}>
              <Radio value="saml" label={protocolNames.saml} />
              <Radio value="oidc" label={protocolNames.oidc} />
            </Group>
          </Radio.Group>
          <Input.Wrapper label={told('title')} description={told('text')} labelElement="div">
            <Stack gap="xs" mt={4}>
              {kind === 'saml' ? (
                <>
                  <CopyField label={told('entityId')} value={ours.entityId} copyLabel={told('copy')} />
                  <CopyField label={told('acsUrl')} value={ours.acsUrl} copyLabel={told('copy')} />
                </>
              ) : (
                <CopyField label={told('redirectUri')} value={ours.redirectUri} copyLabel={told('copy')} />
              )}
            </Stack>
          </Input.Wrapper>
          {kind === 'saml' ? (
            <>
              <MetadataReader p={p} onRead={takeOver} problem={errorOf('certificates')} />
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
              <TextInput
                {...field('samlGroups')}
                label={t('attribute')}
                description={t('groupsHint')}
                spellCheck={false}
                styles={mono}
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
              <TextInput
                {...field('scopes')}
                label={t('scopes')}
                description={t('scopesHint')}
                placeholder="groups"
                spellCheck={false}
                styles={mono}
              />
              <TextInput
                {...field('oidcGroups')}
                label={t('claim')}
                description={t('groupsHint')}
                spellCheck={false}
                styles={mono}
              />
            </>
          )}
        </FormStack>
      </Section>
      <Section title={t('people.title')} description={t('people.text')}>
        <FormStack>
          <Textarea
            {...field('domains')}
            label={t('people.domains')}
            description={t('people.domainsHint')}
            placeholder="example.co.jp"
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
        </FormStack>
      </Section>
      <SaveBar form={form} mb="xl" />
    </EndpointForm>
  )
}
