import {
  ActionIcon,
  Badge,
  Button,
  Checkbox,
  Group,
  Loader,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { issueText } from '#admin/lib/errors.ts'
import { modals } from '#admin/lib/modals.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { App } from '#shared/contract/apps.ts'
import type { AppTemplateVersion } from '#shared/contract/templates.ts'
import classes from './save-template.module.css'
import { templatesQuery, versionsQuery } from './templates.queries.ts'

/** Lists the versions of the app's template, with a button to save a new version. */
export function SaveTemplate({ p, app }: { p: string; app: App }) {
  const t = useTranslations('templates.save')
  const { data: versions = [] } = useQuery(versionsQuery(p, app.uid))
  const open = () => {
    const id = modals.open({
      title: t('action'),
      children: <SaveForm p={p} app={app} last={versions[0]} close={() => modals.close(id)} />,
    })
  }
  return (
    <Section title={t('title')} description={t('text')}>
      <Stack gap="md">
        {versions.length > 0 && (
          <ul className={classes.versions} aria-label={t('versions')}>
            {versions.map((version) => (
              <Version key={version.version} p={p} a={app.uid} version={version} />
            ))}
          </ul>
        )}
        <div>
          <Button variant="default" onClick={open}>
            {t('action')}
          </Button>
        </div>
      </Stack>
    </Section>
  )
}

function Version({ p, a, version: saved }: { p: string; a: string; version: AppTemplateVersion }) {
  const t = useTranslations('templates.save')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const { name, version, state, documents, models } = saved
  const count = models.reduce((sum, model) => sum + model.documents, 0)
  const remove = () =>
    confirm({
      title: t('deleteTitle'),
      message: t('deleteText', { name, version }),
      action: t('deleteAction'),
      danger: true,
      run: async () => {
        await api('DELETE /api/project/{p}/app/{a}/template/{version}', {
          params: { p, a, version: String(version) },
        })
        await queryClient.invalidateQueries({ queryKey: versionsQuery(p, a).queryKey })
        await queryClient.invalidateQueries({ queryKey: templatesQuery(p).queryKey })
        toast.success(t('deleted'))
      },
    })
  return (
    <li className={classes.version}>
      <div className={classes.words}>
        <Text fw={600}>{name}</Text>
        <Group gap="xs" mt={2}>
          <Text size="sm" c="dimmed">
            {t('version', { version })}
          </Text>
          {state === 'saved' ? (
            <Text size="sm" c="dimmed">
              {documents ? t('withDocuments', { count }) : t('withoutDocuments')}
            </Text>
          ) : (
            <Badge
              variant="light"
              tt="none"
              color={state === 'failed' ? 'red' : 'gray'}
              leftSection={state === 'saving' && <Loader size={10} />}
            >
              {t(`state.${state}`)}
            </Badge>
          )}
          <Text size="sm" c="dimmed">
            {format.dateTime(new Date(saved.createdAt), { dateStyle: 'medium', timeStyle: 'short' })}
          </Text>
        </Group>
      </div>
      <ActionIcon variant="subtle" color="gray" aria-label={t('delete', { version })} onClick={remove}>
        <IconTrash size={18} />
      </ActionIcon>
    </li>
  )
}

interface SaveFormProps {
  p: string
  app: App
  /** The newest version. Its name, description and `documents` option are the defaults. undefined: no version yet. */
  last: AppTemplateVersion | undefined
  close: () => void
}

function SaveForm({ p, app, last, close }: SaveFormProps) {
  const t = useTranslations('templates.save')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const { values, set, field, problem, saving, formProps } = useEndpointForm(
    'POST /api/project/{p}/app/{a}/template',
    {
      values: {
        name: last?.name ?? app.name,
        description: last?.description ?? app.description,
        documents: last?.documents ?? true,
      },
      params: { p, a: app.uid },
      toBody: (data) => ({ data }),
      paths: { name: 'data.name', description: 'data.description', documents: null },
      check: ({ name }) => ({ name: name.trim() ? null : issueText({ code: 'Required' }) }),
      saved: async () => {
        await queryClient.invalidateQueries({ queryKey: versionsQuery(p, app.uid).queryKey })
        close()
        toast.success(t('started'))
      },
    },
  )
  return (
    <form {...formProps}>
      <FormStack>
        <FormProblem text={problem} />
        <TextInput {...field('name')} label={t('name')} maxLength={100} data-autofocus required />
        <Textarea {...field('description')} label={t('description')} autosize minRows={2} maxLength={1000} />
        <Checkbox
          label={t('documents')}
          description={t('documentsHint')}
          checked={values.documents}
          onChange={(event) => set('documents', event.currentTarget.checked)}
        />
        <Text size="sm" c="dimmed">
          {t('audience')}
        </Text>
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
