import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { appRoute, spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { toast } from '#admin/lib/toast.ts'
import { useCanInApp, useCanInSpace } from '#admin/lib/use-can.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { confirm, tell } from '#admin/ui/confirm.tsx'
import { Page } from '#admin/ui/page.tsx'
import { ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { Role } from '#shared/contract/roles.ts'
import { openRoleDialog } from './role-dialog.tsx'
import { RoleMatrix } from './role-matrix.tsx'
import { type RolePlace, roleCalls, rolesOf } from './roles.queries.ts'

/** `/{p}/-/roles` */
export function RolesPage() {
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return <Roles place={{ p }} mayManage={can('role.manage')} />
}

/** `/{p}/{a}/-/roles` */
export function AppRolesPage() {
  const { p, a } = appRoute.useParams()
  const can = useCanInApp(p, a)
  return <Roles place={{ p, a }} mayManage={can('app.manage')} />
}

function Roles({ place, mayManage }: { place: RolePlace; mayManage: boolean }) {
  const t = useTranslations('roles')
  const queryClient = useQueryClient()
  const query = rolesOf(place)
  const { data: roles, error, refetch } = useQuery(query)
  const names = useRoleNames(roles)
  const target = place.a === undefined ? 'project' : 'app'
  const refresh = () => queryClient.invalidateQueries({ queryKey: query.queryKey })
  const open = (role: Role | null, isCopy = false) =>
    openRoleDialog({
      place,
      role,
      isCopy,
      title: role && !isCopy ? t('editTitle') : t('newTitle'),
      name: role ? (isCopy ? t('copyOf', { name: names.nameOf(role.uid) }) : role.name) : '',
      onSaved: refresh,
    })

  function remove(role: Role): void {
    const title = t('deleteTitle')
    const inTheWay = role.isDefault
      ? t(place.a === undefined ? 'inUseByGroups' : 'inUseDefault')
      : role.members > 0 && t('inUse', { count: role.members })
    if (inTheWay) {
      tell({ title, message: inTheWay })
      return
    }
    confirm({
      title,
      message: t('deleteConfirm', { name: role.name }),
      action: t('delete'),
      danger: true,
      run: async () => {
        await roleCalls(place).remove(role.uid).finally(refresh)
        toast.success(t('deleted', { name: role.name }))
      },
    })
  }

  return (
    <Page
      title={t('title')}
      description={target === 'project' ? t('text') : t('appText')}
      width="full"
      actions={
        mayManage && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => open(null)}>
            {t('new')}
          </Button>
        )
      }
    >
      {!roles && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!roles && !error && <SkeletonList />}
      {roles && (
        <RoleMatrix
          roles={roles}
          target={target}
          actions={
            mayManage
              ? {
                  edit: (role) => open(role),
                  duplicate: (role) => open(role, true),
                  remove,
                }
              : undefined
          }
        />
      )}
    </Page>
  )
}
