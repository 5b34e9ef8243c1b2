import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { appsQuery } from '#admin/lib/queries.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { App } from '#shared/contract/apps.ts'
import { shorten } from '#shared/unicode.ts'

/** A button that opens a dialog to duplicate the app, with or without its documents. */
export function DuplicateApp({ p, app }: { p: string; app: App }) {
  const t = useTranslations('templates.duplicate')
  const open = () => {
    const id = modals.open({
      title: t('title'),
      children: <DuplicateForm p={p} app={app} close={() => modals.close(id)} />,
    })
  }
  return (
    <Section title={t('title')} description={t('text')}>
      <Button variant="default" onClick={open}>
        {t('action')}
      </Button>
    </Section>
  )
}

function DuplicateForm({ p, app, close }: { p: string; app: App; close: () => void }) {
  const t = useTranslations('templates.duplicate')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { values, set, field, problem, saving, formProps } = useEndpointForm(
    'POST /api/project/{p}/app/{a}/duplicate',
    {
      values: { appName: shorten(t('nameOf', { name: app.name }), 100), documents: true },
      params: { p, a: app.uid },
      toBody: (values) => values,
      paths: { appName: 'appName', documents: null },
      check: ({ appName }) => ({ appName: appName.trim() ? null : issueText({ code: 'Required' }) }),
      saved: async ({ app: made, job }) => {
        await queryClient.invalidateQueries({ queryKey: appsQuery(p).queryKey })
        close()
        await navigate({ to: '/$p/$a', params: { p, a: made.uid }, search: { filling: job } })
      },
    },
  )
  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <TextInput {...field('appName')} label={t('name')} maxLength={100} data-autofocus required />
        <Checkbox
          label={t('documents')}
          description={t('documentsHint')}
          checked={values.documents}
          onChange={(event) => set('documents', event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {t('action')}
          </Button>
        </Group>
      </FormStack>
    </form>
  )
}
