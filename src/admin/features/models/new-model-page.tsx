import { Button, Group, Text, Textarea, TextInput } from '@mantine/core'
import { IconBraces, IconLock } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { titleFieldType } from '#admin/fields/title-type.ts'
import { modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { uidText } from '#admin/lib/uid.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useSuggestedUid } from '#admin/lib/use-suggested-uid.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import { suggestModelUid } from './suggest-uid.ts'

const route = getRouteApi('/signed-in/$p/$a/-/models/new')

/** `/{p}/{a}/-/models/new` */
export function NewModelPage() {
  const t = useTranslations('models')
  const { p, a } = route.useParams()
  const can = useCanInApp(p, a)
  return (
    <Page
      title={t('new.title')}
      description={t('new.about')}
      width="narrow"
      actions={
        can('model.manage') && (
          <Button
            variant="default"
            leftSection={<IconBraces size={16} />}
            renderRoot={(props) => <Link {...props} to="/$p/$a/-/models/import" params={{ p, a }} />}
          >
            {t('new.fromJson')}
          </Button>
        )
      }
    >
      {can('model.manage') ? (
        <NewModelForm p={p} a={a} />
      ) : (
        <EmptyState
          icon={<IconLock size={36} stroke={1.4} aria-hidden="true" />}
          title={t('readOnly.create')}
          text={t('readOnly.createText')}
        />
      )}
    </Page>
  )
}

function NewModelForm({ p, a }: { p: string; a: string }) {
  const t = useTranslations('models.new')
  const problems = useTranslations('models.problem')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const taken = new Set(useQuery(modelsQuery(p, a)).data?.map((model) => model.uid))
  const form = useEndpointForm('POST /api/project/{p}/app/{a}/model', {
    values: { name: '', uid: '', description: '' },
    params: { p, a },
    toBody: (values) => ({
      data: {
        ...values,
        fields: [{ uid: 'title', name: t('titleName'), type: titleFieldType, required: true }],
        titleField: 'title',
      },
    }),
    paths: { name: 'data.name', uid: 'data.uid', description: 'data.description' },
    codes: { ModelUidIsAlreadyInUse: 'uid' },
    check: ({ uid }) => ({ uid: taken.has(uid) ? problems('modelUidTaken') : uidText('model', uid) }),
    saved: async ({ model }) => {
      queryClient.setQueryData(modelQuery(p, a, model.uid).queryKey, model)
      await queryClient.invalidateQueries({ queryKey: modelsQuery(p, a).queryKey })
      await navigate({ to: '/$p/$a/$m/-/model', params: { p, a, m: model.uid } })
      toast.success(t('created', { name: model.name }))
    },
  })
  const { nameProps, suggest } = useSuggestedUid(form, (name, reading) =>
    name.trim() ? suggestModelUid(name, taken, reading) : '',
  )
  const { values, field, problem, saving, isDirty, formProps } = form

  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <UnsavedGuard when={isDirty} />
        <TextInput
          {...nameProps}
          label={t('name')}
          placeholder={t('namePlaceholder')}
          maxLength={100}
          autoComplete="off"
          autoFocus
          required
        />
        <UidField
          {...field('uid')}
          kind="model"
          current={values.uid}
          suggest={suggest}
          label={t('uid')}
          description={t('uidHint')}
          placeholder={common('uidExample', { uid: 'article' })}
          required
        />
        <Textarea
          {...field('description')}
          label={t('description')}
          description={t('descriptionHint')}
          maxLength={1000}
          autosize
          minRows={2}
          maxRows={8}
        />
        <Text size="sm" c="dimmed">
          {t('firstField', { name: t('titleName') })}
        </Text>
        <Group>
          <Button type="submit" loading={saving}>
            {t('create')}
          </Button>
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/$p/$a" params={{ p, a }} />}>
            {common('cancel')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
