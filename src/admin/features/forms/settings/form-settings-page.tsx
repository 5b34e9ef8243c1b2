import { Alert, Button, NumberInput, Radio, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { Section } from '#admin/ui/section.tsx'
import type { Form } from '#shared/contract/forms.ts'
import type { Language } from '#shared/languages.ts'
import { LanguageSwitch, LocalizedInput } from '../fields/localized-input.tsx'
import { FormFrame } from '../form-frame.tsx'
import { keepForm, reloadForms } from '../forms.queries.ts'
import { useEditedForm } from '../use-edited-form.ts'
import { bodyOf, deletesEarlier, originsOf, valuesOf } from './settings-values.ts'

/** `/{p}/-/forms/{form}/settings` */
export function FormSettingsPage() {
  return <FormFrame>{(form, p) => <Editing key={form._id} p={p} loaded={form} />}</FormFrame>
}

function Editing({ p, loaded }: { p: string; loaded: Form }) {
  const t = useTranslations('forms.settings')
  const { form, setForm, reload } = useEditedForm(p, loaded)
  return (
    <>
      <FormSettings key={form.version} p={p} form={form} onSaved={setForm} onReload={reload} />
      <Section title={t('ids')} description={t('idsText')}>
        <FormStack>
          <CopyField label={t('url')} value={form.url} copyLabel={t('copyUrl')} />
          <CopyField label={t('formId')} value={form.formId} copyLabel={t('copyFormId')} />
        </FormStack>
      </Section>
      <Delete p={p} form={form} />
    </>
  )
}

interface FormSettingsProps {
  p: string
  form: Form
  onSaved: (form: Form) => void
  /** Fills the inputs with the current settings. */
  onReload: () => Promise<void>
}

export function FormSettings({ p, form: current, onSaved, onReload }: FormSettingsProps) {
  const t = useTranslations('forms.settings')
  const common = useTranslations('common')
  const uiLanguage = useLocale()
  const queryClient = useQueryClient()
  const [language, setLanguage] = useState<Language>(uiLanguage)
  const [isOutdated, setOutdated] = useState(false)
  const form = useEndpointForm('PUT /api/project/{p}/form/{id}', {
    values: valuesOf(current),
    params: { p, id: current._id },
    readOnly: !useCanInSpace(p)('form.manage'),
    toBody: (values) => bodyOf(values, current),
    paths: {
      name: 'data.name',
      enabled: null,
      origins: 'data.origins',
      thanks: null,
      thanksUrl: 'data.thanksUrl',
      thanksMessage: 'data.thanksMessage',
      retention: null,
      retentionDays: 'data.retentionDays',
    },
    check: ({ retention, retentionDays }) => ({
      retentionDays: retention === 'days' && retentionDays === '' ? issueText({ code: 'Required' }) : null,
    }),
    issueText: (issue, name, values) => {
      if (name === 'thanksUrl' && issue.code === 'InvalidFormat') return t('urlFormat')
      if (name !== 'origins' || issue.code !== 'InvalidFormat') return null
      const wrong = originsOf(values.origins)[Number(issue.path.split('.')[2])]
      return t('originFormat', { origin: wrong ?? '' })
    },
    texts: { VersionConflict: t('changedMeanwhile') },
    failed: (error) => {
      setOutdated(error instanceof ApiError && error.code === 'VersionConflict')
      return false
    },
    saved: async ({ form: saved }) => {
      toast.success(common('saved'))
      await keepForm(queryClient, p, saved)
      onSaved(saved)
    },
  })
  const { values, set, field, errorOf, readOnly } = form
  return (
    <EndpointForm form={form} guarded ofSections autoComplete="off">
      <Section title={t('general')}>
        <FormStack>
          <TextInput {...field('name')} label={common('name')} maxLength={100} required={!readOnly} />
          <Switch
            label={t('enabled')}
            description={t(values.enabled ? 'enabledHint' : 'disabledHint')}
            checked={values.enabled}
            disabled={readOnly}
            onChange={(event) => set('enabled', event.currentTarget.checked)}
          />
        </FormStack>
      </Section>
      <Section
        title={t('thanks.title')}
        description={t('thanks.text')}
        actions={
          values.thanks === 'message' && (
            <LanguageSwitch label={t('thanks.language')} value={language} onChange={setLanguage} />
          )
        }
      >
        <FormStack>
          <Radio.Group
            label={t('thanks.show')}
            value={values.thanks}
            onChange={(next) => !readOnly && set('thanks', next as typeof values.thanks)}
          >
            <Stack gap="xs" mt={6}>
              <Radio value="message" label={t('thanks.message')} disabled={readOnly} />
              <Radio value="url" label={t('thanks.url')} disabled={readOnly} />
            </Stack>
          </Radio.Group>
          {values.thanks === 'url' ? (
            <TextInput
              {...field('thanksUrl')}
              label={t('thanks.urlLabel')}
              placeholder="https://example.com/thanks"
              inputMode="url"
              spellCheck={false}
              required={!readOnly}
            />
          ) : (
            <LocalizedInput
              name="thanksMessage"
              label={t('thanks.messageLabel')}
              description={t('thanks.messageHint')}
              language={language}
              readOnly={readOnly}
              value={values.thanksMessage}
              onChange={(next) => set('thanksMessage', next)}
              error={errorOf('thanksMessage')}
              maxLength={2000}
              multiline
            />
          )}
        </FormStack>
      </Section>
      <Section title={t('origins.title')} description={t('origins.text')}>
        <Textarea
          {...field('origins')}
          label={t('origins.label')}
          description={t('origins.hint')}
          placeholder="https://www.example.com"
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
      </Section>
      <Section title={t('retention.title')} description={t('retention.text')}>
        <FormStack>
          <Radio.Group
            label={t('retention.label')}
            value={values.retention}
            onChange={(next) => !readOnly && set('retention', next as typeof values.retention)}
          >
            <Stack gap="xs" mt={6}>
              <Radio value="none" label={t('retention.none')} disabled={readOnly} />
              <Radio value="days" label={t('retention.days')} disabled={readOnly} />
            </Stack>
          </Radio.Group>
          {values.retention === 'days' && (
            <NumberInput
              name="retentionDays"
              label={t('retention.count')}
              suffix={t('retention.unit')}
              value={values.retentionDays}
              onChange={(next) => set('retentionDays', next === '' ? '' : Number(next))}
              error={errorOf('retentionDays')}
              readOnly={readOnly}
              min={1}
              max={3650}
              clampBehavior="none"
              allowNegative={false}
              allowDecimal={false}
              maw={240}
              required={!readOnly}
            />
          )}
          {deletesEarlier(values, current) && (
            <Alert color="orange" variant="light" icon={<IconAlertTriangle size={18} />} role="status">
              {t('retention.warning', { count: Number(values.retentionDays) })}
            </Alert>
          )}
        </FormStack>
      </Section>
      <SaveBar form={form} mb="xl">
        {isOutdated && (
          <Button variant="default" onClick={() => void onReload()}>
            {t('reload')}
          </Button>
        )}
      </SaveBar>
    </EndpointForm>
  )
}

/** Moves the form to the trash. A toast offers to undo this. */
function Delete({ p, form }: { p: string; form: Form }) {
  const t = useTranslations('forms.delete')
  const can = useCanInSpace(p)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  if (!can('form.manage')) return null
  const { _id: id, name } = form

  async function restore() {
    try {
      const { form: restored } = await api('POST /api/project/{p}/form/{id}:restore', { params: { p, id } })
      await keepForm(queryClient, p, restored)
      toast.success(t('restored', { name }))
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  if (!can('submission.manage'))
    return (
      <Section title={t('title')} danger>
        <Text size="sm">{t('notAllowed')}</Text>
      </Section>
    )
  return (
    <Section title={t('title')} description={t('text')} danger>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        onClick={() =>
          confirm({
            title: t('title'),
            message: t('confirm', { name }),
            action: t('action'),
            danger: true,
            run: async () => {
              await api('DELETE /api/project/{p}/form/{id}', { params: { p, id } })
              toast.success(t('done', { name }), { label: t('undo'), run: () => void restore() })
              // The form is in the trash, so the page must not ask about unsaved settings.
              await navigate({ to: '/$p/-/forms', params: { p }, ignoreBlocker: true })
              await reloadForms(queryClient, p)
            },
          })
        }
      >
        {t('action')}
      </Button>
    </Section>
  )
}
