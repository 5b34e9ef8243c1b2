import { SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { useReading } from '#admin/lib/use-reading.ts'
import type { LocalizedText } from '#shared/forms/fields.ts'
import { type Language, languages } from '#shared/languages.ts'
import { otherLanguage } from '../form-text.ts'

interface LanguageSwitchProps {
  label: string
  value: Language
  onChange: (language: Language) => void
}

/** Chooses the language of texts for visitors. */
export function LanguageSwitch({ label, value, onChange }: LanguageSwitchProps) {
  const t = useTranslations('shell.languages')
  return (
    <SegmentedControl
      aria-label={label}
      size="xs"
      value={value}
      data={languages.map((language) => ({ value: language, label: t(language) }))}
      onChange={(next) => onChange(next as Language)}
    />
  )
}

interface LocalizedInputProps {
  label: string
  description?: string
  /** The language of the text in the input. */
  language: Language
  value: LocalizedText
  onChange: (value: LocalizedText) => void
  onBlur?: () => void
  onFocus?: () => void
  inputRef?: (input: HTMLInputElement | HTMLTextAreaElement | null) => void
  error?: string | null
  maxLength: number
  /** Whether the text may have several lines. */
  multiline?: boolean
  /** The minimum and maximum number of visible lines, if the text may have several. Default: 2 and 10. */
  rows?: readonly [number, number]
  required?: boolean
  readOnly?: boolean
  autofocus?: boolean
  name?: string
}

/**
 * An input for a text of visitors in one language. If it is empty, it shows the text of the other language, which
 * visitors then see.
 */
export function LocalizedInput(props: LocalizedInputProps) {
  const { language, value, onChange, onBlur, multiline, required, readOnly = false, autofocus } = props
  const [minRows, maxRows] = props.rows ?? [2, 10]
  const t = useTranslations('forms.localized')
  const change = (text: string) => onChange({ ...value, [language]: text })
  // Other texts follow the label, so they must be updated when the reading of a composition is known.
  const reading = useReading(change)
  const other = value[otherLanguage(language)].trim()
  const inputProps = {
    ...reading,
    ...(props.name ? { name: props.name } : {}),
    label: props.label,
    description: props.description ?? null,
    placeholder: other ? t('instead', { text: other.split('\n')[0] ?? '' }) : '',
    value: value[language],
    error: props.error ?? null,
    maxLength: props.maxLength,
    readOnly,
    lang: language,
    autoComplete: 'off',
    ...(onBlur ? { onBlur } : {}),
    ...(props.onFocus ? { onFocus: props.onFocus } : {}),
    ...(props.inputRef ? { ref: props.inputRef } : {}),
    ...(required && !readOnly ? { withAsterisk: true, 'aria-required': true } : {}),
    ...(autofocus ? { 'data-autofocus': true } : {}),
  } as const
  return multiline ? (
    <Textarea
      {...inputProps}
      autosize
      minRows={minRows}
      maxRows={maxRows}
      onChange={(event) => change(event.currentTarget.value)}
    />
  ) : (
    <TextInput {...inputProps} onChange={(event) => change(event.currentTarget.value)} />
  )
}
