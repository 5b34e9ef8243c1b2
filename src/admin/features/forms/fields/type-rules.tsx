import { NumberInput, Select, Skeleton, Stack, TextInput } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { BoundsSetting, ChoiceSetting, SwitchSetting } from '#admin/fields/settings-inputs.tsx'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { useFileSize } from '#admin/ui/file-size.ts'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { type FormField, formLimits } from '#shared/forms/fields.ts'
import type { Language } from '#shared/languages.ts'
import type { FieldPatch } from './field-drafts.ts'

const OptionsInput = lazyPart(async () => (await import('./options-input.tsx')).OptionsInput)

interface TypeRulesProps {
  field: FormField
  /** The saved field. null: the field is new, or its type differs. */
  saved: FormField | null
  language: Language
  readOnly: boolean
  onChange: (patch: FieldPatch) => void
  problem: (property: string) => string | null
  onBlur: (property: string) => void
}

/** The rules that only fields of one type have. Renders nothing for a type without such rules. */
export function TypeRules(props: TypeRulesProps) {
  const { field, saved, language, readOnly, onChange, problem, onBlur } = props
  const t = useTranslations('forms.rules')
  const bounds = { placeholder: t('noLimit'), settings: field, onChange, onBlur, problem, readOnly }
  switch (field.type) {
    case 'text':
    case 'textarea':
      return (
        <FormStack>
          <BoundsSetting
            {...bounds}
            names={['minLength', 'maxLength']}
            labels={[t('minLength'), t('maxLength')]}
          />
          {field.type === 'text' && (
            <TextInput
              label={t('pattern')}
              description={t('patternHint')}
              value={field.pattern ?? ''}
              error={problem('pattern')}
              readOnly={readOnly}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              onChange={(event) => onChange({ pattern: event.currentTarget.value || null })}
              onBlur={() => onBlur('pattern')}
            />
          )}
        </FormStack>
      )
    case 'number':
      return (
        <FormStack>
          <BoundsSetting {...bounds} names={['min', 'max']} labels={[t('min'), t('max')]} />
          <SwitchSetting
            label={t('integer')}
            checked={field.integer}
            onChange={(integer) => onChange({ integer })}
            readOnly={readOnly}
          />
        </FormStack>
      )
    case 'choice':
    case 'checkboxes':
      return (
        <Stack gap="lg">
          {field.type === 'choice' && (
            <ChoiceSetting
              label={t('display')}
              value={field.display}
              choices={[
                { value: 'radio', label: t('radio') },
                { value: 'select', label: t('select') },
              ]}
              onChange={(display) => onChange({ display })}
              readOnly={readOnly}
            />
          )}
          <Suspense fallback={<Skeleton height={88} />}>
            <OptionsInput
              value={field.options}
              onChange={(options) => onChange({ options })}
              savedValues={
                new Set(saved && 'options' in saved ? saved.options.map(({ value }) => value) : [])
              }
              language={language}
              readOnly={readOnly}
              problem={problem}
              onBlur={onBlur}
            />
          </Suspense>
          {field.type === 'checkboxes' && (
            <BoundsSetting
              {...bounds}
              names={['minItems', 'maxItems']}
              labels={[t('minItems'), t('maxItems')]}
            />
          )}
        </Stack>
      )
    case 'file':
      return <FileRules {...props} field={field} />
    case 'consent':
      return (
        <TextInput
          label={t('link')}
          description={t('linkHint')}
          placeholder="https://example.com/privacy"
          inputMode="url"
          value={field.link ?? ''}
          error={problem('link')}
          readOnly={readOnly}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ link: event.currentTarget.value.trim() || null })}
          onBlur={() => onBlur('link')}
        />
      )
    default:
      return null
  }
}

/** Common filters of files, as values of `accept`. */
const filters = {
  any: '',
  images: 'image/*',
  pdf: '.pdf',
  documents: '.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx',
} as const

function FileRules(props: TypeRulesProps & { field: Extract<FormField, { type: 'file' }> }) {
  const { field, readOnly, onChange, problem, onBlur } = props
  const t = useTranslations('forms.rules')
  const size = useFileSize()
  const common = (Object.keys(filters) as (keyof typeof filters)[]).find(
    (name) => filters[name] === field.accept,
  )
  const [isOwn, setOwn] = useState(common === undefined)
  return (
    <FormStack>
      <Select
        label={t('accept')}
        data={[...Object.keys(filters), 'own'].map((value) => ({
          value,
          label: t(`filters.${value as keyof typeof filters | 'own'}`),
        }))}
        value={isOwn ? 'own' : (common ?? 'own')}
        readOnly={readOnly}
        allowDeselect={false}
        onChange={(value) => {
          setOwn(value === 'own')
          if (value && value !== 'own') onChange({ accept: filters[value as keyof typeof filters] })
        }}
      />
      {isOwn && (
        <TextInput
          label={t('acceptOwn')}
          description={t('acceptHint')}
          placeholder=".pdf,.zip,image/*"
          value={field.accept}
          error={problem('accept')}
          readOnly={readOnly}
          maxLength={500}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ accept: event.currentTarget.value })}
          onBlur={() => onBlur('accept')}
        />
      )}
      <NumberInput
        label={t('maxFiles')}
        description={t('maxFilesHint', {
          count: formLimits.files,
          size: size(formLimits.fileBytes),
          all: size(formLimits.allFileBytes),
        })}
        value={field.maxFiles}
        error={problem('maxFiles')}
        readOnly={readOnly}
        min={1}
        max={formLimits.files}
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        onChange={(value) => onChange({ maxFiles: value === '' ? 1 : Number(value) })}
        onBlur={() => onBlur('maxFiles')}
      />
    </FormStack>
  )
}
