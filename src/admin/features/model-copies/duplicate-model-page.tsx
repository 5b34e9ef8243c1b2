import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { appsQuery, modelQuery } from '#admin/lib/queries.ts'
import { uidText } from '#admin/lib/uid.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { SkeletonList } from '#admin/ui/states.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import { shorten } from '#shared/unicode.ts'
import { CopyPlan, useCopyProblem } from './copy-plan.tsx'
import { useShowMade } from './model-made.ts'

const route = getRouteApi('/signed-in/$p/$a/$m/-/duplicate')

/** `/{p}/{a}/{m}/-/duplicate` */
export function DuplicateModelPage() {
  const t = useTranslations('modelCopies.duplicate')
  const { p, a, m } = route.useParams()
  const { data: model } = useSuspenseQuery(modelQuery(p, a, m))
  const { data: apps } = useSuspenseQuery(appsQuery(p))
  const [to, setTo] = useState(a)
  return (
    <Page title={t('title', { name: model.name })} description={t('about')} width="narrow">
      <Stack gap="lg">
        <Select
          label={t('app')}
          description={t('appHint')}
          data={apps.map((app) => ({ value: app.uid, label: app.name }))}
          value={to}
          allowDeselect={false}
          onChange={(uid) => uid && setTo(uid)}
        />
        <DuplicateForm
          key={to}
          to={to}
          name={to === a ? shorten(t('copyName', { name: model.name }), 100) : model.name}
        />
      </Stack>
    </Page>
  )
}

function DuplicateForm({ to, name }: { to: string; name: string }) {
  const t = useTranslations('modelCopies.duplicate')
  const common = useTranslations('common')
  const { p, a, m } = route.useParams()
  const mayMake = useCanInApp(p, to)('model.manage')
  const copyProblem = useCopyProblem()
  const show = useShowMade(p)
  const place = { params: { p, a: to } }
  const source = { fromAppId: a, fromModelId: m }
  const planned = useQuery({
    queryKey: ['space', p, 'app', to, 'copyPlan', a, m],
    queryFn: async ({ signal }) => {
      const body = { ...source, dryRun: true }
      const route = 'POST /api/project/{p}/app/{a}/model/duplicate'
      return (await api(route, { ...place, body, signal })).plan
    },
    enabled: mayMake,
    staleTime: 0,
    retry: false,
  })
  const { values, set, field, problem, saving, formProps } = useEndpointForm(
    'POST /api/project/{p}/app/{a}/model/duplicate',
    {
      values: { name, uid: '' },
      ...place,
      toBody: ({ name, uid }) => ({ ...source, name, ...(uid ? { uid } : {}) }),
      paths: { name: 'name', uid: 'uid' },
      codes: { ModelUidIsAlreadyInUse: 'uid' },
      check: ({ name, uid }) => ({
        name: name.trim() ? null : issueText({ code: 'Required' }),
        uid: uid && uidText('model', uid),
      }),
      saved: async ({ model }) => {
        if (model) await show(to, model, t('created', { name: model.name }))
      },
    },
  )

  if (!mayMake) return <Alert variant="light">{t('forbidden')}</Alert>
  if (planned.isPending) return <SkeletonList rows={3} />
  if (planned.error)
    return (
      <Alert variant="light" color="red" role="alert">
        {copyProblem(planned.error)}
      </Alert>
    )
  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <TextInput {...field('name')} label={t('name')} maxLength={100} autoComplete="off" required />
        <UidField
          {...field('uid')}
          kind="model"
          current={values.uid}
          label={t('uid')}
          description={t('uidHint', { uid: planned.data.uid })}
          placeholder={planned.data.uid}
          suggest={() => set('uid', planned.data.uid)}
        />
        <CopyPlan plan={planned.data} />
        <Group>
          <Button type="submit" loading={saving}>
            {t('create')}
          </Button>
          <Button
            variant="default"
            renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/model" params={{ p, a, m }} />}
          >
            {common('cancel')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
