import { Button, Checkbox, Group, NumberInput, Radio, Select, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { useShowIssued } from '#admin/features/shell/issued-invitation.tsx'
import { issueText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { appRolesQuery, appsQuery, rolesQuery } from '#admin/lib/queries.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { NoMailNote } from '#admin/ui/no-mail-note.tsx'
import { invitedRole } from '#shared/permissions.ts'
import { invitationsQuery } from './invitations.queries.ts'

/** Opens the dialog for an invitation by mail or by a link. */
export function openInviteDialog({ p, title }: { p: string; title: string }): void {
  const id = modals.open({ title, children: <InviteForm p={p} close={() => modals.close(id)} /> })
}

/**
 * Returns whether the email address is in one of the domains. Also true for an invalid address, because the server
 * refuses it with another message.
 */
function isInDomains(email: string, domains: readonly string[]): boolean {
  const [, name] = /@([^@\s]+)$/.exec(email.trim().normalize('NFKC')) ?? []
  const url = `https://${name ?? ''}`
  return name === undefined || !URL.canParse(url) || domains.includes(new URL(url).hostname)
}

function InviteForm({ p, close }: { p: string; close: () => void }) {
  const t = useTranslations('invitations')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const sendsMail = useSendsMail()
  const showIssued = useShowIssued()
  const apps = useQuery(appsQuery(p)).data ?? []
  const roles = useRoleNames(useQuery(rolesQuery(p)).data)
  const ssoDomains = useQuery(invitationsQuery({ p })).data?.ssoDomains ?? []
  const { values, set, field, errorOf, problem, saving, formProps } = useEndpointForm(
    'POST /api/project/{p}/invitation',
    {
      values: {
        by: (sendsMail ? 'mail' : 'link') as 'mail' | 'link',
        email: '',
        roleId: invitedRole as string,
        app: '',
        appRoleId: '',
        useSSO: false,
        maximumUses: 10 as number | '',
      },
      params: { p },
      toBody: ({ by, email, roleId, app, appRoleId, useSSO, maximumUses }) => ({
        invitation: {
          ...(by === 'mail' ? { email: email.trim() } : { maximumUses: maximumUses || null }),
          roleId,
          ...(app ? { app, ...(appRoleId ? { appRoleId } : {}) } : {}),
          useSSO,
        },
      }),
      paths: {
        by: null,
        email: 'invitation.email',
        roleId: 'invitation.roleId',
        app: null,
        appRoleId: null,
        useSSO: 'invitation.useSSO',
        maximumUses: null,
      },
      codes: { InvalidRoleChange: 'roleId', SsoNotSetUp: 'useSSO', SsoDomainIsNotVerified: 'email' },
      texts: { InvitedAccountAlreadyExists: t('exists') },
      check: ({ by, email, useSSO }) => ({
        email:
          by === 'link'
            ? null
            : email.trim() === ''
              ? issueText({ code: 'Required' })
              : useSSO && !isInDomains(email, ssoDomains)
                ? t('notInDomains', { domains: ssoDomains.join(', ') })
                : null,
      }),
      saved: async ({ invitation }) => {
        await queryClient.invalidateQueries({ queryKey: invitationsQuery({ p }).queryKey })
        close()
        showIssued(invitation)
      },
    },
  )
  const chosen = apps.find((app) => app.uid === values.app)
  const rolesInApp = useRoleNames(
    useQuery({ ...appRolesQuery(p, values.app), enabled: values.app !== '' }).data,
  )
  const appRole = values.appRoleId || (chosen?.accessSettings.defaultRole ?? '')

  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        {sendsMail ? (
          <Radio.Group label={t('how')} value={values.by} onChange={(by) => set('by', by as 'mail' | 'link')}>
            <Group mt={4}>
              <Radio value="mail" label={t('byMail')} />
              <Radio value="link" label={t('byLink')} />
            </Group>
          </Radio.Group>
        ) : (
          <NoMailNote text={t('linkOnly')} leave={close} />
        )}
        {values.by === 'mail' ? (
          <TextInput
            {...field('email')}
            type="email"
            label={t('email')}
            description={t('emailHint')}
            maxLength={254}
            autoComplete="off"
            required
            data-autofocus
          />
        ) : (
          <NumberInput
            label={t('maximumUses')}
            placeholder={t('unlimited')}
            min={1}
            max={1000}
            allowDecimal={false}
            value={values.maximumUses}
            onChange={(value) => set('maximumUses', typeof value === 'number' ? value : '')}
          />
        )}
        <Select
          label={t('role')}
          data={roles.options(values.roleId)}
          value={values.roleId}
          onChange={(roleId) => roleId && set('roleId', roleId)}
          error={errorOf('roleId')}
          allowDeselect={false}
        />
        <Select
          label={t('app')}
          placeholder={t('noApp')}
          data={apps.map((app) => ({ value: app.uid, label: app.name }))}
          value={values.app || null}
          onChange={(app) => {
            set('app', app ?? '')
            set('appRoleId', '')
          }}
          searchable
          clearable
        />
        {chosen && (
          <Select
            label={t('appRole')}
            data={rolesInApp.options(appRole)}
            value={appRole}
            onChange={(roleId) => roleId && set('appRoleId', roleId)}
            error={errorOf('appRoleId')}
            allowDeselect={false}
          />
        )}
        {ssoDomains.length > 0 && (
          <Checkbox
            checked={values.useSSO}
            onChange={(event) => set('useSSO', event.currentTarget.checked)}
            label={t('useSSO')}
            error={errorOf('useSSO')}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {values.by === 'mail' ? t('send') : t('make')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
