import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { spaceRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { spaceQuery, spacesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { uidText } from '#admin/lib/uid.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { Space } from '#shared/contract/spaces.ts'
import { TimeZoneSelect } from './time-zone-select.tsx'

/** `/{p}/-/settings` */
export function SpaceSettingsPage() {
  const t = useTranslations('spaces.settings')
  const { p } = spaceRoute.useParams()
  const { data: space } = useSuspenseQuery(spaceQuery(p))
  const can = useCanInSpace(p)
  return (
    <Page title={t('title')} description={space.name} width="narrow">
      <GeneralForm key={space.uid} space={space} editable={can('space.update')} />
      {can('app.manage') && <ExportLink p={p} />}
      {can('space.delete') && <DeleteSpace space={space} />}
    </Page>
  )
}

function GeneralForm({ space, editable }: { space: Space; editable: boolean }) {
  const t = useTranslations('spaces.settings')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { values, field, set, problem, saving, isDirty, onSubmit } = useContractForm({
    defaultValues: { name: space.name, uid: space.uid, timeZone: space.timeZone },
    codes: { SpaceUidIsAlreadyInUse: 'uid' },
    check: ({ name, uid }) => ({
      name: name.trim() ? null : issueText({ code: 'Required' }),
      uid: uidText('space', uid, space.uid),
    }),
    submit: async ({ name, uid, timeZone }) => {
      const { project } = await api('PUT /api/project/{p}', {
        params: { p: space.uid },
        body: { project: { name, uid, timeZone } },
      })
      queryClient.setQueryData(spaceQuery(project.uid).queryKey, project)
      await queryClient.invalidateQueries({ queryKey: spacesQuery().queryKey })
      toast.success(common('saved'))
      if (project.uid !== space.uid) {
        await navigate({ to: '/$p/-/settings', params: { p: project.uid }, replace: true })
      }
    },
  })
  const uid = values.uid
  return (
    <Section title={t('general')} description={editable ? undefined : t('readOnly')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <FormProblem text={problem} />
          <UnsavedGuard when={isDirty} />
          <TextInput {...field('name')} label={t('name')} maxLength={100} required readOnly={!editable} />
          <UidField
            {...field('uid')}
            kind="space"
            current={uid}
            own={space.uid}
            label={t('uid')}
            required
            readOnly={!editable}
          />
          {uid !== space.uid && (
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
          {editable && (
            <Group>
              <Button type="submit" loading={saving}>
                {common('save')}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
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
