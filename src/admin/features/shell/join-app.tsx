import { Button } from '@mantine/core'
import { IconLock, IconUserPlus } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { appQuery, appRolesQuery, appsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { AppIcon } from '#admin/ui/app-icon.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import type { App } from '#shared/contract/apps.ts'

interface JoinAppProps {
  p: string
  a: string
  app: App
}

/** The page of an app for members of the space who have not joined it. */
export function JoinApp({ p, a, app }: JoinAppProps) {
  return (
    <Page title={app.name} icon={<AppIcon app={app} size={26} />} description={app.description}>
      <Join p={p} a={a} app={app} />
    </Page>
  )
}

function Join({ p, a, app }: JoinAppProps) {
  const t = useTranslations('apps')
  const queryClient = useQueryClient()
  const router = useRouter()
  const join = useMutation({
    mutationFn: () => api('POST /api/project/{p}/app/{a}/members/join', { params: { p, a } }),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: appQuery(p, a).queryKey }),
        queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey }),
      ])
      // Runs the loaders again: the loader of a page in the app may have failed, because the user was not a member yet.
      await router.invalidate()
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
