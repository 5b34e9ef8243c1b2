import { Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { appRolesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { PageLinks } from '#admin/ui/page-links.tsx'
import { LoadProblem } from '#admin/ui/states.tsx'
import type { LeftMember } from '#shared/contract/members.ts'
import { leftMembersQuery, memberCalls, membersKey, pageSize } from './members.queries.ts'
import classes from './members-page.module.css'

/**
 * A collapsed list of members who left the app of their own accord, for its managers. Renders nothing if the list is
 * empty.
 */
export function LeftMembers({ p, a }: { p: string; a: string }) {
  const t = useTranslations('members.leftApp')
  const common = useTranslations('members')
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useQuery(leftMembersQuery(p, a, page))
  if (!data) return <LoadProblem error={error} retry={() => void refetch()} />
  const pages = Math.ceil(data.total / pageSize)
  if (pages === 0) return null
  return (
    <details className={classes.left}>
      <summary>
        {t('title')} <span className={classes.leftCount}>{common('count', { count: data.total })}</span>
      </summary>
      <Text size="sm" c="dimmed" my="sm">
        {t('text')}
      </Text>
      <LoadProblem error={error} retry={() => void refetch()} />
      <ul className={classes.list} aria-label={t('title')}>
        {data.members.map((member) => (
          <Left key={member._id} p={p} a={a} member={member} />
        ))}
      </ul>
      {(pages > 1 || page > 1) && (
        <PageLinks label={common('pages')} total={pages} value={page} onChange={setPage} />
      )}
    </details>
  )
}

function Left({ p, a, member }: { p: string; a: string; member: LeftMember }) {
  const t = useTranslations('members.leftApp')
  const common = useTranslations('common')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const names = useRoleNames(useQuery(appRolesQuery(p, a)).data)
  const name = member.name || member.email || common('nameless')
  const forget = () =>
    confirm({
      title: t('forget'),
      message: t('forgetText', { name }),
      action: t('forget'),
      run: async () => {
        await memberCalls({ p, a }).remove(member._id)
        await queryClient.invalidateQueries({ queryKey: membersKey({ p, a }) })
        toast.success(t('forgotten', { name }))
      },
    })
  return (
    <li className={classes.row}>
      <div className={classes.person}>
        <Text fw={600} className={classes.name ?? ''}>
          {name}
        </Text>
        {member.name && member.email && (
          <Text size="sm" c="dimmed" className={classes.name ?? ''}>
            {member.email}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {t('since', { date: format.dateTime(new Date(member.leftAt), { dateStyle: 'medium' }) })}
        </Text>
      </div>
      <div className={classes.controls}>
        <Text size="sm" px="sm" component="span">
          {names.nameOf(member.roleId)}
        </Text>
        <Button variant="default" size="xs" aria-label={t('forgetOf', { name })} onClick={forget}>
          {t('forget')}
        </Button>
      </div>
    </li>
  )
}
