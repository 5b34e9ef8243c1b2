import { Button, Radio, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { appRoute } from '#admin/features/shell/shell.routes.tsx'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { appQuery, appRolesQuery, appsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { uidText } from '#admin/lib/uid.ts'
import { useCanInApp, useCanInSpace } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useRoleNames } from '#admin/lib/use-role-names.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { hiddenLabel } from '#admin/ui/hidden-label.ts'
import { Section } from '#admin/ui/section.tsx'
import { SettingsPage } from '#admin/ui/settings-page.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
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
  const can = useCanInApp(p, a)
  const canInSpace = useCanInSpace(p)
  return (
    <SettingsPage
      title={t('settings')}
      text={useQuery(appQuery(p, a)).data?.name}
      query={appQuery(p, a)}
      forbidden={!can('app.manage') && { title: t('settingsForbidden'), text: t('settingsForbiddenText') }}
    >
      {(app) => (
        <>
          <GeneralForm key={`general-${app.uid}`} p={p} app={app} />
          <AppPictures p={p} app={app} />
          <AccessForm key={`access-${app.uid}`} p={p} app={app} />
          <ExportLink p={p} app={app} />
          <ImportLink p={p} app={app} />
          <FollowTemplate p={p} app={app} />
          <SaveTemplate p={p} app={app} />
          {canInSpace('app.create') && <DuplicateApp p={p} app={app} />}
          <DeliveryCache p={p} app={app} />
          <DeleteApp p={p} app={app} />
        </>
      )}
    </SettingsPage>
  )
}

function GeneralForm({ p, app }: { p: string; app: App }) {
  const t = useTranslations('apps')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  /** Whether the app's icon is a picture. A picture replaces the emoji, so the emoji input is hidden then. */
  const hasPicture = app.icon?.type === 'image'
  const form = useEndpointForm('PUT /api/project/{p}/app/{a}', {
    values: {
      name: app.name,
      uid: app.uid,
      description: app.description,
      icon: app.icon?.type === 'emoji' ? app.icon.value : '',
    },
    params: { p, a: app.uid },
    toBody: ({ icon, ...data }) => ({ data: hasPicture ? data : { ...data, icon: emojiIcon(icon) } }),
    paths: { name: 'data.name', uid: 'data.uid', description: 'data.description', icon: 'data.icon' },
    codes: { AppUidIsAlreadyInUse: 'uid' },
    check: ({ uid }) => ({ uid: uidText('app', uid, app.uid) }),
    saved: async ({ app: saved }) => {
      queryClient.setQueryData(appQuery(p, saved.uid).queryKey, saved)
      await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
      toast.success(common('saved'))
      if (saved.uid !== app.uid) {
        await navigate({ to: '/$p/$a/-/settings', params: { p, a: saved.uid }, replace: true })
      }
    },
  })
  const { values, set, field, errorOf } = form
  const uid = values.uid
  return (
    <Section title={t('general')}>
      <EndpointForm form={form} guarded>
        <TextInput {...field('name')} label={t('name')} maxLength={100} required />
        <UidField {...field('uid')} kind="app" current={uid} own={app.uid} label={t('uid')} required />
        {uid !== app.uid && (
          <Text size="sm" c="var(--mantine-color-error)">
            {t('uidChange')}
          </Text>
        )}
        {!hasPicture && <EmojiField value={values.icon} onChange={(icon) => set('icon', icon)} />}
        {errorOf('icon') && (
          <Text size="sm" c="var(--mantine-color-error)">
            {errorOf('icon')}
          </Text>
        )}
        <Textarea {...field('description')} label={t('description')} autosize minRows={2} maxLength={1000} />
        <SaveBar form={form} />
      </EndpointForm>
    </Section>
  )
}

/** Returns the `icon` value for an emoji. An empty string becomes null (no icon). */
const emojiIcon = (value: string) => (value ? { type: 'emoji' as const, value } : null)

function AccessForm({ p, app }: { p: string; app: App }) {
  const t = useTranslations('apps')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const roles = useRoleNames(useQuery(appRolesQuery(p, app.uid)).data)
  const form = useEndpointForm('PATCH /api/project/{p}/app/{a}', {
    values: { ...app.accessSettings },
    params: { p, a: app.uid },
    toBody: (accessSettings) => ({ accessSettings }),
    paths: { visibility: null, defaultRole: 'accessSettings.defaultRole' },
    saved: async ({ app: saved }) => {
      queryClient.setQueryData(appQuery(p, app.uid).queryKey, saved)
      await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
      toast.success(common('saved'))
    },
  })
  const { values, set, errorOf } = form
  return (
    <Section title={t('access')} description={t('accessText')}>
      <EndpointForm form={form} guarded>
        <Radio.Group
          {...hiddenLabel(t('access'))}
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
          error={errorOf('defaultRole')}
          allowDeselect={false}
          maw={320}
        />
        <SaveBar form={form} />
      </EndpointForm>
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

function DeliveryCache({ p, app }: { p: string; app: App }) {
  const t = useTranslations('apps.cache')
  const empty = useMutation({
    mutationFn: () => api('DELETE /api/project/{p}/app/{a}/cache', { params: { p, a: app.uid } }),
    onSuccess: () => toast.success(t('done')),
    onError: (error) => toast.error(errorText(error)),
  })
  return (
    <Section title={t('title')} description={t('text')}>
      <Button variant="default" loading={empty.isPending} onClick={() => empty.mutate()}>
        {t('action')}
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
