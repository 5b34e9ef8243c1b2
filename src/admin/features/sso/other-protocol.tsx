import { Button, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { SsoConnection } from '#shared/contract/sso.ts'
import { protocolNames } from './protocols.ts'
import { ProtocolTest } from './sign-in-test.tsx'
import { putSso } from './sso.queries.ts'

/** Tests the protocol that is prepared but not in use, and switches to it. */
export function OtherProtocol({ p, sso }: { p: string; sso: SsoConnection }) {
  const t = useTranslations('sso.other')
  const notYours = useTranslations('sso.form')('notYours')
  const queryClient = useQueryClient()
  const kind: SsoConnection['kind'] = sso.kind === 'saml' ? 'oidc' : 'saml'
  const names = { protocol: protocolNames[kind], current: protocolNames[sso.kind] }
  const { isComplete } = sso[kind]
  const switchOver = () =>
    confirm({
      title: t('title', names),
      message: t('confirmText', names),
      action: t('action', names),
      texts: { InvalidRoleChange: notYours },
      run: async () => {
        const data = { kind, domains: sso.domains.map(({ domain }) => domain), version: sso.version }
        const saved = await api('PUT /api/project/{p}/sso', { params: { p }, body: { data } })
        putSso(queryClient, p, saved.sso)
        toast.success(t('done', names))
      },
    })
  return (
    <Section title={t('title', names)} description={t(isComplete ? 'text' : 'incomplete', names)}>
      <Stack gap="md" align="flex-start">
        <ProtocolTest p={p} kind={kind} isComplete={isComplete} />
        <Button disabled={!isComplete} onClick={switchOver}>
          {t('action', names)}
        </Button>
      </Stack>
    </Section>
  )
}
