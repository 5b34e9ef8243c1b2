import { Group, NumberInput, Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { issueText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { useEndpointForm } from '#admin/lib/use-endpoint-form.ts'
import { EndpointForm, SaveBar } from '#admin/ui/endpoint-form.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { hiddenLabel } from '#admin/ui/hidden-label.ts'
import { Section } from '#admin/ui/section.tsx'
import { type ImageSettings, watermarkPositions } from '#shared/image-settings.ts'
import { imageSettingsQuery } from './image-settings.queries.ts'
import { readWidths, settingsOf, type Values, valuesOf } from './values.ts'
import { WatermarkSelect } from './watermark-select.tsx'

/** The form for quality, formats, permitted transforms, metadata and watermark. */
export function SettingsForm({ p, settings }: { p: string; settings: ImageSettings }) {
  const t = useTranslations('imageSettings.form')
  const queryClient = useQueryClient()
  const required = issueText({ code: 'Required' })
  const form = useEndpointForm('PUT /api/project/{p}/imageSettings', {
    values: valuesOf(settings),
    params: { p },
    toBody: (values) => ({ data: settingsOf(values) }),
    paths: {
      quality: 'data.quality',
      formats: null,
      transforms: null,
      widths: 'data.widths',
      stripMetadata: null,
      watermark: null,
      position: null,
      opacity: 'data.watermark.opacity',
    },
    check: ({ quality, widths, transforms, watermark, opacity }) => ({
      quality: quality === '' ? required : null,
      widths: transforms === 'widths' && !readWidths(widths)?.length ? t('widthsProblem') : null,
      opacity: watermark && opacity === '' ? required : null,
    }),
    saved: ({ imageSettings }) => {
      queryClient.setQueryData(imageSettingsQuery(p).queryKey, imageSettings)
      toast.success(t('saved'))
    },
  })
  const { values, set, field, errorOf } = form
  return (
    <EndpointForm form={form} guarded ofSections>
      <Section title={t('result')} description={t('resultText')}>
        <FormStack>
          <NumberInput
            name="quality"
            label={t('quality')}
            description={t('qualityHint')}
            value={values.quality}
            onChange={(next) => set('quality', next === '' ? '' : Number(next))}
            error={errorOf('quality')}
            min={1}
            max={100}
            clampBehavior="blur"
            allowDecimal={false}
            required
          />
          <Radio.Group
            label={t('formats')}
            value={values.formats}
            onChange={(next) => set('formats', next as Values['formats'])}
          >
            <Stack gap={8} mt={6}>
              {(['avif', 'webp', 'none'] as const).map((value) => (
                <Radio key={value} value={value} label={t(`formatChoices.${value}`)} />
              ))}
            </Stack>
          </Radio.Group>
          <Switch
            label={t('strip')}
            description={t('stripHint')}
            checked={values.stripMetadata}
            onChange={(event) => set('stripMetadata', event.currentTarget.checked)}
          />
        </FormStack>
      </Section>
      <Section title={t('allowed')} description={t('allowedText')}>
        <FormStack>
          <Radio.Group
            {...hiddenLabel(t('allowed'))}
            value={values.transforms}
            onChange={(next) => set('transforms', next as Values['transforms'])}
          >
            <Stack gap={8}>
              {(['any', 'widths', 'signed'] as const).map((value) => (
                <Radio key={value} value={value} label={t(`transforms.${value}`)} />
              ))}
            </Stack>
          </Radio.Group>
          {values.transforms === 'widths' && (
            <TextInput
              {...field('widths')}
              label={t('widths')}
              description={t('widthsHint')}
              inputMode="numeric"
              required
            />
          )}
        </FormStack>
      </Section>
      <Section title={t('watermark')} description={t('watermarkText')}>
        <FormStack>
          <WatermarkSelect p={p} value={values.watermark} onChange={(id) => set('watermark', id)} />
          {values.watermark && (
            <Group grow align="start">
              <Select
                label={t('position')}
                data={watermarkPositions.map((value) => ({ value, label: t(`positions.${value}`) }))}
                value={values.position}
                onChange={(next) => next && set('position', next as Values['position'])}
                allowDeselect={false}
              />
              <NumberInput
                name="opacity"
                label={t('opacity')}
                value={values.opacity}
                onChange={(next) => set('opacity', next === '' ? '' : Number(next))}
                error={errorOf('opacity')}
                min={0}
                max={100}
                clampBehavior="blur"
                allowDecimal={false}
                suffix=" %"
                required
              />
            </Group>
          )}
        </FormStack>
      </Section>
      <SaveBar form={form} label={t('save')} mb="xl" />
    </EndpointForm>
  )
}
