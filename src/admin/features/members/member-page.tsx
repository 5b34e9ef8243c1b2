import { Alert, Badge, Button, Group, Text } from '@mantine/core'
import { IconEye, IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { startPreview } from '#admin/lib/preview.ts'
import { rolesQuery } from '#admin/lib/queries.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { MemberRights } from '#shared/contract/members.ts'
import type { Right } from '#shared/permissions.ts'
import { MemberFactor } from './member-factor.tsx'
import { MemberIdentities } from './member-identities.tsx'
import { memberRightsQuery } from './members.queries.ts'
import classes from './members-page.module.css'
import { PreviewBanner } from './preview-banner.tsx'

const route = getRouteApi('/signed-in/$p/settings/-/members/$id')

/** `/{p}/-/members/{id}`: a member's rights in each app and model, and the roles that grant them. */
export function MemberPage() {
  const t = useTranslations('members.rights')
  const common = useTranslations('common')
  const { p, id } = route.useParams()
  const can = useCanInSpace(p)
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery({ ...memberRightsQuery(p, id), enabled: can('member.manage') })
  const roles = useRoleNames(useQuery(rolesQuery(p)).data)
  const name = data ? data.member.name || data.member.email || common('nameless') : ''

  async function view() {
    await navigate({ to: '/$p', params: { p } })
    await startPreview({ p, memberId: id, name }, PreviewBanner)
  }

  return (
    <Page
      title={data ? t('title', { name }) : ''}
      description={data && t('role', { role: roles.nameOf(data.member.roleId) })}
      actions={
        data && (
          <Button variant="default" leftSection={<IconEye size={16} />} onClick={() => void view()}>
            {t('viewAs')}
          </Button>
        )
      }
    >
      {!can('member.manage') && (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
      {can('member.manage') && !data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {can('member.manage') && !data && !error && <SkeletonList />}
      {data && (
        <>
          <Alert variant="light" icon={<IconEye size={18} />} mb="lg">
            {t('viewAsText')}
          </Alert>
          <MemberFactor p={p} id={id} name={name} />
          <MemberIdentities p={p} id={id} name={name} />
          <Section title={t('space')}>
            <RightList rights={data.rights.space} />
          </Section>
          {data.rights.apps.map((app) => (
            <AppRights key={app.uid} app={app} />
          ))}
          {data.rights.hiddenApps > 0 && (
            <Text size="sm" c="dimmed" mt="md">
              {t('hidden', { count: data.rights.hiddenApps })}
            </Text>
          )}
        </>
      )}
    </Page>
  )
}

function AppRights({ app }: { app: MemberRights['apps'][number] }) {
  const t = useTranslations('members.rights')
  const roles = useRoleNames()
  const role = app.roleId === null ? null : app.roleName || roles.nameOf(app.roleId)
  return (
    <Section
      title={app.name}
      description={role === null ? t(`access.${app.access}`) : t('role', { role })}
      actions={
        <Badge variant="light" color={app.access === 'open' ? 'gray' : 'mizu'} tt="none">
          {t(`access.${app.access}`)}
        </Badge>
      }
    >
      <RightList rights={app.rights} />
      {app.rights.length > 0 && app.models.length > 0 && (
        <table className={classes.models}>
          <thead>
            <tr>
              <th scope="col">{t('model')}</th>
              <th scope="col">{t('can')}</th>
            </tr>
          </thead>
          <tbody>
            {app.models.map((model) => (
              <tr key={model._id}>
                <th scope="row">{model.name}</th>
                <td>
                  {model.rights.length === 0 ? t('noAccess') : <RightList rights={model.rights} />}
                  {model.readOnly.length > 0 && (
                    <Text size="xs" c="dimmed" mt={4}>
                      {t('readOnly', { fields: model.readOnly.join(', ') })}
                    </Text>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}

function RightList({ rights }: { rights: MemberRights['space'] }) {
  const t = useTranslations('members.rights')
  const names = useTranslations('roles')
  const nameOf = (right: Right) => names(`rights.${right}.name` as 'rights.space.view.name')
  if (rights.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('none')}
      </Text>
    )
  return (
    <ul className={classes.rights}>
      {rights.map(({ right, by }) => (
        <li key={right} className={classes.right}>
          <Text span size="sm">
            {nameOf(right)}
          </Text>
          <Group gap={4}>
            <Text span size="xs" c="dimmed">
              {t(`by.${by}`)}
            </Text>
          </Group>
        </li>
      ))}
    </ul>
  )
}
