import { Alert, Button, Group, Select, Text, TextInput } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useShowIssued } from '#admin/features/shell/issued-invitation.tsx'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { ApiError } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { appQuery, appRolesQuery, appsQuery } from '#admin/lib/queries.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { LeftMembers } from './left-members.tsx'
import { MemberList } from './member-list.tsx'
import { memberCalls } from './members.queries.ts'

/** `/{p}/{a}/-/members` */
export function AppMembersPage() {
  const t = useTranslations('members')
  const { p, a } = appRoute.useParams()
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const can = useCanInApp(p, a)
  return (
    <Page
      title={t('title')}
      description={t('appText')}
      actions={
        <>
          {app.joined && <Leave p={p} a={a} />}
          {can('app.manage') && (
            <Button leftSection={<IconUserPlus size={16} />} onClick={() => openAdd(p, a, t('add'))}>
              {t('add')}
            </Button>
          )}
        </>
      }
    >
      <MemberList
        place={{ p, a }}
        roles={useQuery(appRolesQuery(p, a)).data ?? []}
        mayManage={can('app.manage')}
      />
      {can('app.manage') && <LeftMembers p={p} a={a} />}
    </Page>
  )
}

function Leave({ p, a }: { p: string; a: string }) {
  const t = useTranslations('members')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return (
    <Button
      variant="default"
      onClick={() =>
        confirm({
          title: t('appLeave'),
          message: t('appLeaveText'),
          action: t('leaveAction'),
          danger: true,
          run: async () => {
            await memberCalls({ p, a }).leave()
            await navigate({ to: '/$p', params: { p } })
            queryClient.removeQueries({ queryKey: appQuery(p, a).queryKey })
            await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
            toast.success(t('appLeft'))
          },
        })
      }
    >
      {t('appLeave')}
    </Button>
  )
}

function openAdd(p: string, a: string, title: string): void {
  const id = modals.open({ title, children: <AddForm p={p} a={a} close={() => modals.close(id)} /> })
}

function AddForm({ p, a, close }: { p: string; a: string; close: () => void }) {
  const t = useTranslations('members')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const sendsMail = useSendsMail()
  const showIssued = useShowIssued()
  const names = useRoleNames(useQuery(appRolesQuery(p, a)).data)
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  /** The member of the space that has the entered address, if that address is not verified. */
  const [unverified, setUnverified] = useState<{ _id: string; name: string } | null>(null)
  const { values, set, field, errorOf, problem, saving, formProps } = useEndpointForm(
    'POST /api/project/{p}/app/{a}/members',
    {
      values: { email: '', roleId: app.accessSettings.defaultRole },
      params: { p, a },
      toBody: ({ email, roleId }) =>
        unverified ? { memberId: unverified._id, roleId } : { email: email.trim(), roleId },
      paths: { email: 'email', roleId: 'roleId' },
      codes: { InvitedAccountAlreadyExists: 'email', InvalidRoleChange: 'roleId' },
      check: ({ email }) => ({ email: email.trim() ? null : issueText({ code: 'Required' }) }),
      failed: (error) => {
        if (!(error instanceof ApiError) || error.code !== 'MemberEmailIsNotVerified') return false
        setUnverified(error.details.member as { _id: string; name: string })
        return true
      },
      saved: async ({ member, invitation }, { email }) => {
        await queryClient.invalidateQueries({ queryKey: ['space', p, 'app', a] })
        close()
        if (member) toast.success(t('added', { name: member.name || email.trim() }))
        else if (invitation) showIssued(invitation)
      },
    },
  )
  return (
    <form {...formProps}>
      <FormStack>
        <Text size="sm">{t(sendsMail ? 'addText' : 'addTextNoMail')}</Text>
        <FormProblem text={problem} />
        <TextInput
          {...field('email', () => setUnverified(null))}
          type="email"
          label={t('email')}
          maxLength={254}
          required
          data-autofocus
          autoComplete="off"
        />
        <Select
          label={t('role')}
          data={names.options(values.roleId)}
          value={values.roleId}
          onChange={(roleId) => roleId && set('roleId', roleId)}
          error={errorOf('roleId')}
          allowDeselect={false}
        />
        {unverified && (
          <Alert color="yellow" role="alert">
            {t('addUnverified', { name: unverified.name || common('nameless') })}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {t(unverified ? 'addAnyway' : 'add')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
