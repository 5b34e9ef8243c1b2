import { Button, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { useOpenSpace } from '#admin/features/shell/use-open-space.ts'
import { api } from '#admin/lib/api.ts'
import { spaceQuery, spacesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { uidText } from '#admin/lib/uid.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { Section } from '#admin/ui/section.tsx'
import { SettingsPage } from '#admin/ui/settings-page.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import type { Space } from '#shared/contract/spaces.ts'
import { TimeZoneSelect } from './time-zone-select.tsx'

/** `/{p}/-/settings` */
export function SpaceSettingsPage() {
  const t = useTranslations('spaces.settings')
  const { p } = spaceRoute.useParams()
  const can = useCanInSpace(p)
  return (
    <SettingsPage title={t('title')} text={useOpenSpace()?.name} query={spaceQuery(p)}>
      {(space) => (
        <>
          <GeneralForm key={space.uid} space={space} editable={can('space.update')} />
          {can('app.manage') && <ExportLink p={p} />}
          {can('space.delete') && <DeleteSpace space={space} />}
        </>
      )}
    </SettingsPage>
  )
}

function GeneralForm({ space, editable }: { space: Space; editable: boolean }) {
  const t = useTranslations('spaces.settings')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form = useEndpointForm('PUT /api/project/{p}', {
    values: { name: space.name, uid: space.uid, timeZone: space.timeZone },
    params: { p: space.uid },
    toBody: (project) => ({ project }),
    paths: { name: 'project.name', uid: 'project.uid', timeZone: 'project.timeZone' },
    codes: { SpaceUidIsAlreadyInUse: 'uid' },
    check: ({ uid }) => ({ uid: uidText('space', uid, space.uid) }),
    readOnly: !editable,
    saved: async ({ project }) => {
      queryClient.setQueryData(spaceQuery(project.uid).queryKey, project)
      await queryClient.invalidateQueries({ queryKey: spacesQuery().queryKey })
      toast.success(common('saved'))
      if (project.uid !== space.uid) {
        await navigate({ to: '/$p/-/settings', params: { p: project.uid }, replace: true })
      }
    },
  })
  const { values, field, set } = form
  return (
    <Section title={t('general')} description={editable ? undefined : t('readOnly')}>
      <EndpointForm form={form} guarded>
        <TextInput {...field('name')} label={t('name')} maxLength={100} required />
        <UidField
          {...field('uid')}
          kind="space"
          current={values.uid}
          own={space.uid}
          label={t('uid')}
          required
        />
        {values.uid !== space.uid && (
          <Text size="sm" c="var(--mantine-color-error)">
            {t('uidChange')}
          </Text>
        )}
        <TimeZoneSelect
          value={values.timeZone}
          onChange={(timeZone) => set('timeZone', timeZone)}
          error={field('timeZone').error}
          readOnly={!editable}
        />
        <SaveBar form={form} />
      </EndpointForm>
    </Section>
  )
}

function ExportLink({ p }: { p: string }) {
  const t = useTranslations('appExports')
  return (
    <Section title={t('title')} description={t('space.linkText')}>
      <Button variant="default" component={Link} {...{ to: `/${p}/-/export` }}>
        {t('space.link')}
      </Button>
    </Section>
  )
}

function DeleteSpace({ space }: { space: Space }) {
  const t = useTranslations('spaces.settings')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return (
    <Section title={t('delete.title')} description={t('delete.text')} danger>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        onClick={() =>
          confirm({
            title: t('delete.title'),
            message: t('delete.confirm', { name: space.name }),
            action: t('delete.action'),
            danger: true,
            typeName: space.name,
            run: async () => {
              await api('DELETE /api/project/{p}', { params: { p: space.uid } })
              await navigate({ to: '/spaces' })
              queryClient.removeQueries({ queryKey: spaceQuery(space.uid).queryKey })
              await queryClient.invalidateQueries({ queryKey: spacesQuery().queryKey })
              toast.success(t('delete.done', { name: space.name }))
            },
          })
        }
      >
        {t('delete.action')}
      </Button>
    </Section>
  )
}
