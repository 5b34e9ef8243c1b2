import { Button } from '@mantine/core'
import { IconLock, IconUserPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { appQuery, appRolesQuery, appsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { EmptyState } from '#admin/ui/states.tsx'

/** For members of the space who have not joined the app. */
export function JoinApp({ p, a }: { p: string; a: string }) {
  const t = useTranslations('apps')
  const queryClient = useQueryClient()
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const join = useMutation({
    mutationFn: () => api('POST /api/project/{p}/app/{a}/members/join', { params: { p, a } }),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: appQuery(p, a).queryKey }),
        queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey }),
      ])
      toast.success(t('joined'))
    },
  })
  const { visibility, defaultRole } = app.accessSettings
  const roles = useRoleNames(useQuery(appRolesQuery(p, a)).data)
  if (visibility === 'private') {
    return (
      <EmptyState
        icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
        title={t('private.title')}
        text={t('private.text')}
      />
    )
  }
  return (
    <EmptyState
      icon={<IconUserPlus size={36} stroke={1.4} aria-hidden="true" />}
      title={t('join.title')}
      text={t('join.text', { role: roles.nameOf(defaultRole) })}
      action={
        <Button loading={join.isPending} onClick={() => join.mutate()}>
          {t('join.action')}
        </Button>
      }
    />
  )
}
