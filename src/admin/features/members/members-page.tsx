import { ActionIcon, Avatar, Badge, Group, Select, Text, Tooltip } from '@mantine/core'
import { IconUserMinus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { membersQuery, rolesQuery } from '#admin/lib/queries.ts'
import { useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Page } from '#admin/ui/page.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Member } from '#shared/contract/members.ts'
import classes from './members-page.module.css'

/** `/{p}/-/members` */
export function MembersPage() {
  const t = useTranslations('members')
  const { p } = spaceRoute.useParams()
  const { data: members, error, refetch } = useQuery(membersQuery(p))
  return (
    <Page title={t('title')} description={t('text')} width="narrow">
      {!members && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!members && !error && <SkeletonList />}
      {members && (
        <ul className={classes.list} aria-label={t('title')}>
          {members.map((member) => (
            <MemberRow key={member._id} p={p} member={member} />
          ))}
        </ul>
      )}
    </Page>
  )
}

function MemberRow({ p, member }: { p: string; member: Member }) {
  const t = useTranslations('members')
  const account = useAccount()
  const can = useCanInSpace(p)
  const roles = useRoleNames(useQuery(rolesQuery(p)).data)
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: membersQuery(p).queryKey })
  const name = member.name || member.email
  const own = member.accountId === account?._id
  const editable = can('member.manage') && !own

  const changeRole = useMutation({
    mutationFn: (roleId: string) =>
      api('PUT /api/project/{p}/member/{id}', { params: { p, id: member._id }, body: { roleId } }),
    onSuccess: () => toast.success(t('roleChanged', { name })),
    onSettled: refresh,
  })

  return (
    <li className={classes.row}>
      <Group gap="sm" wrap="nowrap" className={classes.person ?? ''}>
        <Avatar radius="xl" aria-hidden="true" src={member.icon?.src ?? null} alt="">
          {[...name][0]?.toUpperCase()}
        </Avatar>
        <div style={{ minWidth: 0 }}>
          <Group gap={8}>
            <Text fw={600}>{name}</Text>
            {own && (
              <Badge variant="light" color="gray" tt="none">
                {t('you')}
              </Badge>
            )}
          </Group>
          {member.name && (
            <Text size="sm" c="dimmed">
              {member.email}
            </Text>
          )}
        </div>
      </Group>
      <div className={classes.controls}>
        {editable ? (
          <Select
            w={150}
            aria-label={t('roleOf', { name })}
            data={roles.options(member.roleId)}
            value={changeRole.isPending ? changeRole.variables : member.roleId}
            onChange={(roleId) => roleId && roleId !== member.roleId && changeRole.mutate(roleId)}
            allowDeselect={false}
            disabled={changeRole.isPending}
          />
        ) : (
          <Tooltip label={t('ownRole')} disabled={!own || !can('member.manage')}>
            <Text size="sm" px="sm">
              {roles.nameOf(member.roleId)}
            </Text>
          </Tooltip>
        )}
        {editable && (
          <Tooltip label={t('remove')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('removeOf', { name })}
              onClick={() =>
                confirm({
                  title: t('remove'),
                  message: t('removeConfirm', { name }),
                  action: t('removeAction'),
                  danger: true,
                  run: async () => {
                    await api('DELETE /api/project/{p}/member/{id}', { params: { p, id: member._id } })
                    await refresh()
                    toast.success(t('removed', { name }))
                  },
                })
              }
            >
              <IconUserMinus size={18} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </li>
  )
}
