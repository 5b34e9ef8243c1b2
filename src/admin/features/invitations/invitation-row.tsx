import { ActionIcon, Badge, Menu, Text } from '@mantine/core'
import { IconDots, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { useShowIssued } from '#admin/features/shell/issued-invitation.tsx'
import { errorText } from '#admin/lib/errors.ts'
import { appRolesQuery, rolesQuery } from '#admin/lib/queries.ts'
import { useSendsMail } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import type { Invitation } from '#shared/contract/invitations.ts'
import classes from './invitations.module.css'
import { type InvitationPlace, invitationCalls, invitationsQuery } from './invitations.queries.ts'

/** An invitation, by mail or as a link, with its available actions. */
export function InvitationRow({ place, invitation }: { place: InvitationPlace; invitation: Invitation }) {
  const t = useTranslations('invitations')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const sendsMail = useSendsMail()
  const showIssued = useShowIssued()
  const { email, app } = invitation
  const roles = useRoleNames(useQuery(rolesQuery(place.p)).data)
  const rolesInApp = useRoleNames(
    useQuery({ ...appRolesQuery(place.p, app?.uid ?? ''), enabled: app !== null }).data,
  )
  const calls = invitationCalls(place)
  const refresh = () => queryClient.invalidateQueries({ queryKey: invitationsQuery(place).queryKey })
  const ends = new Date(invitation.expiresAt)
  const date = format.dateTime(ends, { dateStyle: 'medium', timeStyle: 'short' })
  const isOver = ends.getTime() < Date.now()
  const uses =
    invitation.maximumUses === null
      ? t('uses', { uses: invitation.uses })
      : t('usesOf', { uses: invitation.uses, maximum: invitation.maximumUses })

  async function renew() {
    try {
      showIssued(await calls.renew(invitation._id))
    } catch (error) {
      toast.error(errorText(error))
    }
    await refresh()
  }

  return (
    <li className={classes.row}>
      <div className={classes.about}>
        <Text fw={600}>{email ?? t('link')}</Text>
        <div className={classes.meta}>
          <span>{roles.nameOf(invitation.roleId)}</span>
          {app && (
            <span>
              {t('withApp', { app: app.name, role: rolesInApp.nameOf(invitation.appRoleId ?? '') })}
            </span>
          )}
          {email === null && <span>{uses}</span>}
          {invitation.useSSO && <span>{t('sso')}</span>}
          <span>{t('by', { name: invitation.invitedBy.name })}</span>
          {isOver ? (
            <Badge size="sm" variant="light" color="orange" tt="none">
              {t('expired')}
            </Badge>
          ) : (
            <span>{t('expires', { date })}</span>
          )}
        </div>
        {invitation.ssoProblem && (
          <Text size="sm" c="var(--mantine-color-error)">
            {t(`ssoProblems.${invitation.ssoProblem}`)}
          </Text>
        )}
      </div>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={email === null ? t('actionsOfLink') : t('actionsOf', { name: email })}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => void renew()}>
            {t(email !== null && sendsMail ? 'resend' : 'renew')}
          </Menu.Item>
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={() =>
              confirm({
                title: t('revokeTitle'),
                message: t('revokeConfirm'),
                action: t('revoke'),
                danger: true,
                run: async () => {
                  await calls.revoke(invitation._id)
                  await refresh()
                  toast.success(t('revoked'))
                },
              })
            }
          >
            {t('revoke')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </li>
  )
}
