import { Button, Group, Radio, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { appQuery, appRolesQuery, appsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { uidText } from '#admin/lib/uid.ts'
import { useCanInApp, useCanInSpace } from '#admin/lib/use-can.ts'
import { useContractForm } from '#admin/lib/use-contract-form.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { Page } from '#admin/ui/page.tsx'
import { Section } from '#admin/ui/section.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { App } from '#shared/contract/apps.ts'
import { AppPictures } from './app-pictures.tsx'
import { DuplicateApp } from './duplicate-app.tsx'
import { EmojiField } from './emoji-field.tsx'
import { FollowTemplate } from './follow-template.tsx'
import { SaveTemplate } from './save-template.tsx'

/** `/{p}/{a}/-/settings` */
export function AppSettingsPage() {
  const t = useTranslations('apps')
  const { p, a } = appRoute.useParams()
  const { data: app } = useSuspenseQuery(appQuery(p, a))
  const can = useCanInApp(p, a)
  const canInSpace = useCanInSpace(p)
  return (
    <Page title={t('settings')} description={app.name} width="narrow">
      {can('app.manage') ? (
        <>
          <GeneralForm key={`general-${app.uid}`} p={p} app={app} />
          <AppPictures p={p} app={app} />
          <AccessForm key={`access-${app.uid}`} p={p} app={app} />
          <ExportLink p={p} app={app} />
          <ImportLink p={p} app={app} />
          <FollowTemplate p={p} app={app} />
          <SaveTemplate p={p} app={app} />
          {canInSpace('app.create') && <DuplicateApp p={p} app={app} />}
          <DeleteApp p={p} app={app} />
        </>
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('settingsForbidden')}
          text={t('settingsForbiddenText')}
        />
      )}
    </Page>
  )
}

function GeneralForm({ p, app }: { p: string; app: App }) {
  const t = useTranslations('apps')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  /** In place of an emoji, which is not asked for then. */
  const hasPicture = app.icon?.type === 'image'
  const { values, set, field, problem, saving, isDirty, onSubmit } = useContractForm({
    defaultValues: {
      name: app.name,
      uid: app.uid,
      description: app.description,
      icon: app.icon?.type === 'emoji' ? app.icon.value : '',
    },
    codes: { AppUidIsAlreadyInUse: 'uid' },
    check: ({ name, uid }) => ({
      name: name.trim() ? null : issueText({ code: 'Required' }),
      uid: uidText('app', uid, app.uid),
    }),
    submit: async ({ name, uid, description, icon }) => {
      const { app: saved } = await api('PUT /api/project/{p}/app/{a}', {
        params: { p, a: app.uid },
        body: { data: { name, uid, description, ...(hasPicture ? {} : { icon: emojiIcon(icon) }) } },
      })
      queryClient.setQueryData(appQuery(p, saved.uid).queryKey, saved)
      await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
      toast.success(common('saved'))
      if (saved.uid !== app.uid) {
        await navigate({ to: '/$p/$a/-/settings', params: { p, a: saved.uid }, replace: true })
      }
    },
  })
  const uid = values.uid
  return (
    <Section title={t('general')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <FormProblem text={problem} />
          <UnsavedGuard when={isDirty} />
          <TextInput {...field('name')} label={t('name')} maxLength={100} required />
          <UidField {...field('uid')} kind="app" current={uid} own={app.uid} label={t('uid')} required />
          {uid !== app.uid && (
            <Text size="sm" c="var(--mantine-color-error)">
              {t('uidChange')}
            </Text>
          )}
          {!hasPicture && <EmojiField value={values.icon} onChange={(icon) => set('icon', icon)} />}
          <Textarea
            {...field('description')}
            label={t('description')}
            autosize
            minRows={2}
            maxLength={1000}
          />
          <Group>
            <Button type="submit" loading={saving}>
              {common('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

/** What stands for an emoji, or for none. */
const emojiIcon = (value: string) => (value ? { type: 'emoji' as const, value } : null)

function AccessForm({ p, app }: { p: string; app: App }) {
  const t = useTranslations('apps')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const roles = useRoleNames(useQuery(appRolesQuery(p, app.uid)).data)
  const { values, set, problem, saving, isDirty, onSubmit } = useContractForm({
    defaultValues: { ...app.accessSettings },
    submit: async (accessSettings) => {
      const { app: saved } = await api('PATCH /api/project/{p}/app/{a}', {
        params: { p, a: app.uid },
        body: { accessSettings },
      })
      queryClient.setQueryData(appQuery(p, app.uid).queryKey, saved)
      await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
      toast.success(common('saved'))
    },
  })
  return (
    <Section title={t('access')} description={t('accessText')}>
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          <FormProblem text={problem} />
          <UnsavedGuard when={isDirty} />
          <Radio.Group
            aria-label={t('access')}
            value={values.visibility}
            onChange={(value) => set('visibility', value as App['accessSettings']['visibility'])}
          >
            <Stack gap="sm">
              {(['open', 'private'] as const).map((visibility) => (
                <Radio
                  key={visibility}
                  value={visibility}
                  label={t(`visibility.${visibility}`)}
                  description={t(`visibilityTexts.${visibility}`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Select
            label={t('defaultRole')}
            description={t('defaultRoleHint')}
            data={roles.options(values.defaultRole)}
            value={values.defaultRole}
            onChange={(value) => value && set('defaultRole', value)}
            allowDeselect={false}
            maw={320}
          />
          <Group>
            <Button type="submit" loading={saving}>
              {common('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

function ExportLink({ p, app }: { p: string; app: App }) {
  const t = useTranslations('appExports')
  return (
    <Section title={t('title')} description={t('linkText')}>
      <Button variant="default" component={Link} {...{ to: `/${p}/${app.uid}/-/export` }}>
        {t('link')}
      </Button>
    </Section>
  )
}

function ImportLink({ p, app }: { p: string; app: App }) {
  const t = useTranslations('moves.into')
  return (
    <Section title={t('of')} description={t('linkText')}>
      <Button variant="default" component={Link} {...{ to: `/${p}/${app.uid}/-/import` }}>
        {t('link')}
      </Button>
    </Section>
  )
}

function DeleteApp({ p, app }: { p: string; app: App }) {
  const t = useTranslations('apps')
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
            message: t('delete.confirm', { name: app.name }),
            action: t('delete.action'),
            danger: true,
            typeName: app.name,
            run: async () => {
              await api('DELETE /api/project/{p}/app/{a}', { params: { p, a: app.uid } })
              await navigate({ to: '/$p', params: { p } })
              queryClient.removeQueries({ queryKey: appQuery(p, app.uid).queryKey })
              await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
              toast.success(t('delete.done', { name: app.name }))
            },
          })
        }
      >
        {t('delete.action')}
      </Button>
    </Section>
  )
}
