import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { rolesQuery, spaceQuery, spacesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { Page } from '#admin/ui/page.tsx'
import { MemberList } from './member-list.tsx'
import { memberCalls } from './members.queries.ts'

/** `/{p}/-/members` */
export function MembersPage() {
  const t = useTranslations('members')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return (
    <Page title={t('title')} description={t('text')} actions={<Leave p={p} />}>
      <MemberList place={{ p }} roles={useQuery(rolesQuery(p)).data ?? []} mayManage={can('member.manage')} />
    </Page>
  )
}

function Leave({ p }: { p: string }) {
  const t = useTranslations('members')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const name = useQuery(spaceQuery(p)).data?.name ?? ''
  return (
    <Button
      variant="default"
      onClick={() =>
        confirm({
          title: t('leave'),
          message: t('leaveText'),
          action: t('leaveAction'),
          danger: true,
          run: async () => {
            await memberCalls({ p }).leave()
            await navigate({ to: '/spaces' })
            queryClient.removeQueries({ queryKey: ['space', p] })
            await queryClient.invalidateQueries({ queryKey: spacesQuery().queryKey })
            toast.success(t('left', { name }))
          },
        })
      }
    >
      {t('leave')}
    </Button>
  )
}
