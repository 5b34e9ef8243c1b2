import { Anchor, Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { EndpointForm } from '#admin/ui/endpoint-form.tsx'
import { keepForm } from './forms.queries.ts'
import { type PresetName, presetNames, presets } from './presets.ts'

interface NewFormDialogProps {
  p: string
  /** The preset that is selected at first. */
  preset: PresetName
  onClose: () => void
}

/** Creates a form from a preset, and opens its fields. */
export function NewFormDialog({ p, preset, onClose }: NewFormDialogProps) {
  const t = useTranslations('forms.new')
  const common = useTranslations('common')
  const names = useTranslations('forms.presets')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [hasFormId, setHasFormId] = useState(false)
  const form = useEndpointForm('POST /api/project/{p}/form', {
    values: { name: names(`${preset}.formName`), preset, formId: '' },
    params: { p },
    toBody: (values) => ({
      data: {
        name: values.name,
        ...presets[values.preset],
        ...(values.formId.trim() ? { formId: values.formId.trim() } : {}),
      },
    }),
    paths: { name: 'data.name', preset: null, formId: 'data.formId' },
    codes: { FormIdIsAlreadyInUse: 'formId' },
    issueText: (issue, name) =>
      name === 'formId' && issue.code === 'InvalidFormat' ? t('formIdFormat') : null,
    saved: async ({ form: created }) => {
      toast.success(t('done', { name: created.name }))
      await keepForm(queryClient, p, created)
      await navigate({ to: '/$p/-/forms/$form/fields', params: { p, form: created._id } })
    },
  })
  const { values, set, touched, field } = form
  return (
    <Dialog onClose={onClose} title={t('title')}>
      <EndpointForm form={form}>
        <TextInput {...field('name')} label={common('name')} maxLength={100} required data-autofocus />
        <Radio.Group
          label={t('preset')}
          value={values.preset}
          onChange={(next) => {
            const chosen = next as PresetName
            set('preset', chosen)
            if (!touched('name')) set('name', names(`${chosen}.formName`))
          }}
        >
          <Stack gap="sm" mt={6}>
            {presetNames.map((name) => (
              <Radio
                key={name}
                value={name}
                label={names(`${name}.name`)}
                description={names(`${name}.text`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        {hasFormId ? (
          <TextInput
            {...field('formId')}
            label={t('formId')}
            description={t('formIdHint')}
            maxLength={9}
            autoComplete="off"
            spellCheck={false}
            autoFocus
          />
        ) : (
          <div>
            <Anchor component="button" type="button" size="sm" onClick={() => setHasFormId(true)}>
              {t('addFormId')}
            </Anchor>
          </div>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={form.saving}>
            {common('create')}
          </Button>
        </Group>
      </EndpointForm>
    </Dialog>
  )
}
