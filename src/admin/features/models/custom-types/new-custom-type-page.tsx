import { Button, Group, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { customTypesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { suggestUid } from '#admin/lib/uid.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { useSuggestedUid } from '#admin/lib/use-suggested-uid.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Page } from '#admin/ui/page.tsx'
import { takesSuggestion } from '#admin/ui/uid-field.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import { customTypeUidProblem } from '#shared/fields/custom-types.ts'

export function NewCustomTypePage({ p, a }: { p: string; a: string }) {
  const t = useTranslations('customTypes.new')
  const labels = useTranslations('customTypes.panel')
  const models = useTranslations('models.new')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const form = useEndpointForm('POST /api/project/{p}/app/{a}/customFieldType', {
    values: { name: '', uid: '', description: '' },
    params: { p, a },
    toBody: (data) => ({ data }),
    paths: { name: 'data.name', uid: 'data.uid', description: 'data.description' },
    codes: { CustomFieldTypeIsAlreadyInUse: 'uid' },
    check: ({ uid }) => {
      const wrong = uid === '' ? 'Required' : customTypeUidProblem(uid)
      return { uid: wrong && issueText({ code: wrong }) }
    },
    saved: async ({ customFieldType }) => {
      await queryClient.invalidateQueries({ queryKey: customTypesQuery(p, a).queryKey })
      await navigate({ to: '/$p/$a/-/custom-types/$id', params: { p, a, id: customFieldType._id } })
      toast.success(t('created', { name: customFieldType.name }))
    },
  })
  const { nameProps, suggest } = useSuggestedUid(form, (name, reading) => suggestUid('model', name, reading))
  const { values, field, problem, saving, isDirty, formProps } = form

  return (
    <Page title={t('title')} description={t('about')} width="narrow">
      <form {...formProps}>
        <FormStack>
          <FormProblem text={problem} />
          <UnsavedGuard when={isDirty} />
          <TextInput
            {...nameProps}
            label={labels('name')}
            placeholder={t('namePlaceholder')}
            maxLength={100}
            autoComplete="off"
            autoFocus
            required
          />
          <TextInput
            {...field('uid')}
            label={labels('uid')}
            description={t('uidHint')}
            maxLength={64}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onFocus={takesSuggestion(values.uid, suggest)}
            required
          />
          <Textarea
            {...field('description')}
            label={models('description')}
            maxLength={1000}
            autosize
            minRows={2}
            maxRows={8}
          />
          <Group>
            <Button type="submit" loading={saving}>
              {models('create')}
            </Button>
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/$p/$a/-/custom-types" params={{ p, a }} />}
            >
              {common('cancel')}
            </Button>
          </Group>
        </FormStack>
      </form>
    </Page>
  )
}
