import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconDoorEnter, IconLock } from '@tabler/icons-react'
import { queryOptions, useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { appQuery, appRolesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState, ErrorState, SkeletonList } from '#admin/ui/states.tsx'
import type { AccessRequest } from '#shared/contract/access-requests.ts'
import classes from './access-requests.module.css'

const requestsQuery = (p: string, a: string) =>
  queryOptions({
    queryKey: ['space', p, 'app', a, 'requests'],
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/accessRequest', { params: { p, a }, signal })).accessRequests,
  })

/** `/{p}/{a}/-/requests`: requests for access to the app. */
export function AccessRequestsPage() {
  const t = useTranslations('accessRequests')
  const { p, a } = appRoute.useParams()
  const can = useCanInApp(p, a)
  return (
    <Page title={t('title')} description={t('text')}>
      {can('app.manage') ? (
        <List p={p} a={a} />
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('forbidden')}
          text={t('forbiddenText')}
        />
      )}
    </Page>
  )
}

function List({ p, a }: { p: string; a: string }) {
  const t = useTranslations('accessRequests')
  const { data: requests, error, refetch } = useQuery(requestsQuery(p, a))
  if (!requests) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonList />
  if (requests.length === 0)
    return (
      <EmptyState
        icon={<IconDoorEnter size={36} stroke={1.4} aria-hidden="true" />}
        title={t('empty')}
        text={t('emptyText')}
      />
    )
  return (
    <ul className={classes.list} aria-label={t('title')}>
      {requests.map((request) => (
        <Request key={request._id} p={p} a={a} request={request} />
      ))}
    </ul>
  )
}

function Request({ p, a, request }: { p: string; a: string; request: AccessRequest }) {
  const t = useTranslations('accessRequests')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const name = request.name || request.email
  const decline = useMutation({
    mutationFn: () =>
      api('POST /api/project/{p}/app/{a}/accessRequest/{id}/decline', { params: { p, a, id: request._id } }),
    onSuccess: () => toast.success(t('declined')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: requestsQuery(p, a).queryKey }),
  })
  const date = format.dateTime(new Date(request.createdAt), { dateStyle: 'medium' })
  return (
    <li className={classes.row}>
      <div className={classes.about}>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed">
          {request.name ? `${request.email} · ` : ''}
          {t('askedAt', { date })}
        </Text>
        {request.message && (
          <Text size="sm" mt={6} className={classes.message ?? ''}>
            {request.message}
          </Text>
        )}
      </div>
      <Group gap="xs">
        <Button size="sm" onClick={() => openAccept({ p, a, request, title: t('acceptTitle') })}>
          {t('accept')}
        </Button>
        <Button size="sm" variant="default" loading={decline.isPending} onClick={() => decline.mutate()}>
          {t('decline')}
        </Button>
      </Group>
    </li>
  )
}

interface AcceptOptions {
  p: string
  a: string
  request: AccessRequest
  title: string
}

function openAccept(options: AcceptOptions): void {
  const id = modals.open({
    title: options.title,
    children: <AcceptForm {...options} close={() => modals.close(id)} />,
  })
}

function AcceptForm({ p, a, request, close }: AcceptOptions & { close: () => void }) {
  const t = useTranslations('accessRequests')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const names = useRoleNames(useQuery(appRolesQuery(p, a)).data)
  const [roleId, setRoleId] = useState(app.accessSettings.defaultRole)
  const name = request.name || request.email
  const accept = useMutation({
    mutationFn: () =>
      api('POST /api/project/{p}/app/{a}/accessRequest/{id}/accept', {
        params: { p, a, id: request._id },
        body: { roleId },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['space', p, 'app', a] })
      toast.success(t('accepted', { name }))
      close()
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    accept.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{t('acceptText', { name })}</Text>
        <FormProblem text={accept.error && errorText(accept.error)} />
        <Select
          label={t('role')}
          data={names.options(roleId)}
          value={roleId}
          onChange={(next) => next && setRoleId(next)}
          allowDeselect={false}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={accept.isPending}>
            {t('accept')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
