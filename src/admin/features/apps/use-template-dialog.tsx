import { Button, Group, List, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { uidText } from '#admin/lib/uid.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { UidField } from '#admin/ui/uid-field.tsx'
import type { AppTemplate } from '#shared/contract/templates.ts'

/** Opens the dialog that creates an app from a template. */
export function openUseTemplateDialog(p: string, template: AppTemplate, title: string): void {
  const id = modals.open({
    title,
    children: <UseTemplateForm p={p} template={template} close={() => modals.close(id)} />,
  })
}

interface UseTemplateFormProps {
  p: string
  template: AppTemplate
  close: () => void
}

function UseTemplateForm({ p, template, close }: UseTemplateFormProps) {
  const t = useTranslations('templates')
  const apps = useTranslations('apps')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { values, field, problem, saving, formProps } = useEndpointForm('POST /api/project/{p}/app', {
    values: { name: template.name, uid: template.uid },
    params: { p },
    toBody: (data) => ({ appTemplateId: template._id, data }),
    paths: { name: 'data.name', uid: 'data.uid' },
    codes: { AppUidIsAlreadyInUse: 'uid' },
    check: ({ name, uid }) => ({
      name: name.trim() ? null : issueText({ code: 'Required' }),
      uid: uidText('app', uid),
    }),
    saved: async ({ app, job }) => {
      await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
      close()
      await navigate({ to: '/$p/$a', params: { p, a: app.uid }, search: job ? { filling: job } : {} })
    },
  })
  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <TextInput {...field('name')} label={apps('name')} maxLength={100} data-autofocus required />
        <UidField {...field('uid')} kind="app" current={values.uid} label={apps('uid')} required />
        <div>
          <Text size="sm" c="dimmed">
            {t('use.contains')}
          </Text>
          <List size="sm" mt={6}>
            {template.models.map(({ uid, name, documents }) => (
              <List.Item key={uid}>{t('use.model', { name, count: documents })}</List.Item>
            ))}
          </List>
        </div>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {t('use.create')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
