import { ActionIcon, Avatar, Badge, Group, Menu, Select, Text } from '@mantine/core'
import { IconDots, IconShieldSearch, IconUserMinus } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useFormatter, useTranslations } from 'use-intl'
import { useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Explained } from '#admin/ui/explained.tsx'
import type { Member } from '#shared/contract/members.ts'
import type { Role } from '#shared/contract/roles.ts'
import { firstCharacter } from '#shared/unicode.ts'
import { memberCalls, membersKey, type PeoplePlace } from './members.queries.ts'
import classes from './members-page.module.css'

interface MemberRowProps {
  place: PeoplePlace
  member: Member
  roles: readonly Role[]
  mayManage: boolean
}

/** A member of the space or the app with their role and available actions. */
export function MemberRow({ place, member, roles, mayManage }: MemberRowProps) {
  const t = useTranslations('members')
  const common = useTranslations('common')
  const format = useFormatter()
  const account = useAccount()
  const names = useRoleNames(roles)
  const queryClient = useQueryClient()
  const calls = memberCalls(place)
  const refresh = () => queryClient.invalidateQueries({ queryKey: membersKey(place) })
  const name = member.name || member.email || common('nameless')
  const own = member.accountId === account?._id
  const editable = mayManage && !own

  const changeRole = useMutation({
    mutationFn: (roleId: string) => calls.changeRole(member._id, roleId),
    onSuccess: () => toast.success(t('roleChanged', { name })),
    onSettled: refresh,
  })

  return (
    <li className={classes.row}>
      <Group gap="sm" wrap="nowrap" className={classes.person ?? ''}>
        <Avatar radius="xl" aria-hidden="true" src={member.icon?.src ?? null} alt="">
          {firstCharacter(name).toUpperCase()}
        </Avatar>
        <div style={{ minWidth: 0 }}>
          <Group gap={8}>
            <Text fw={600} className={classes.name ?? ''}>
              {name}
            </Text>
            {own && (
              <Badge variant="light" color="gray" tt="none">
                {t('you')}
              </Badge>
            )}
            {member.provisioned && (
              <Badge variant="light" color="gray" tt="none">
                {t('provisioned')}
              </Badge>
            )}
            {member.emailVerified === false && (
              <Explained text={t('unverified.text')}>
                <Badge variant="outline" color="gray" tt="none">
                  {t('unverified.name')}
                </Badge>
              </Explained>
            )}
            {member.identities?.map((by) => (
              <Explained key={by} text={t(`signsInBy.${by}.text`)}>
                <Badge variant="outline" color="gray" tt="none">
                  {t(`signsInBy.${by}.name`)}
                </Badge>
              </Explained>
            ))}
          </Group>
          {member.name && member.email && (
            <Text size="sm" c="dimmed" className={classes.name ?? ''}>
              {member.email}
            </Text>
          )}
          {member.lastSeenAt && !member.provisioned && (
            <Text size="xs" c="dimmed">
              {t('lastSeen', { date: format.dateTime(new Date(member.lastSeenAt), { dateStyle: 'medium' }) })}
            </Text>
          )}
        </div>
      </Group>
      <div className={classes.controls}>
        {editable ? (
          <Select
            w={180}
            aria-label={t('roleOf', { name })}
            data={names.options(member.roleId)}
            value={changeRole.isPending ? changeRole.variables : member.roleId}
            onChange={(roleId) => roleId && roleId !== member.roleId && changeRole.mutate(roleId)}
            allowDeselect={false}
            disabled={changeRole.isPending}
          />
        ) : (
          <Explained text={own && mayManage ? t('ownRole') : null}>
            <Text size="sm" component="span" className={classes.role ?? ''}>
              {names.nameOf(member.roleId)}
            </Text>
          </Explained>
        )}
        <MemberMenu place={place} member={member} name={name} editable={editable} remove={remove} />
      </div>
    </li>
  )

  function remove() {
    const inApp = place.a !== undefined
    confirm({
      title: inApp ? t('appRemove') : t('remove'),
      message: inApp ? t('appRemoveConfirm', { name }) : t('removeConfirm', { name }),
      action: inApp ? t('appRemove') : t('removeAction'),
      danger: true,
      run: async () => {
        await calls.remove(member._id)
        await refresh()
        toast.success(inApp ? t('appRemoved', { name }) : t('removed', { name }))
      },
    })
  }
}

interface MemberMenuProps {
  place: PeoplePlace
  member: Member
  name: string
  editable: boolean
  remove: () => void
}

function MemberMenu({ place: { p, a }, member, name, editable, remove }: MemberMenuProps) {
  const t = useTranslations('members')
  const can = useCanInSpace(p)
  if (!editable && !can('member.manage')) return null
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('actionsOf', { name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {can('member.manage') && (
          <Menu.Item
            leftSection={<IconShieldSearch size={16} />}
            renderRoot={(props) => <Link {...props} to="/$p/-/members/$id" params={{ p, id: member._id }} />}
          >
            {t('showRights')}
          </Menu.Item>
        )}
        {editable && (
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconUserMinus size={16} />}
            onClick={remove}
          >
            {a === undefined ? t('removeAction') : t('appRemove')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
