import { Group, Text, Textarea, TextInput } from '@mantine/core'
import { useDeferredValue } from 'react'
import { useTranslations } from 'use-intl'
import { useReading } from '#admin/lib/use-reading.ts'
import { countCharacters, countHalfWidth } from '#shared/fields/characters.ts'
import type { FieldOf, inputAria } from '../field-props.ts'

interface OneTextProps {
  field: FieldOf<'TEXT'>
  value: string
  onChange: (value: string) => void
  onBlur: () => void
  readOnly: boolean
  invalid: boolean
  attributes: ReturnType<typeof inputAria> & { 'aria-label'?: string }
  onKeyDown?: (event: React.KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void
}

/** The plain text input. It does not trim or rewrite the text, because that would disturb input methods. */
export function OneText({
  field,
  value,
  onChange,
  onBlur,
  readOnly,
  invalid,
  attributes,
  onKeyDown,
}: OneTextProps) {
  const common = {
    ...useReading(),
    value,
    onBlur,
    readOnly,
    error: invalid,
    autoComplete: 'off',
    ...attributes,
    ...(onKeyDown ? { onKeyDown } : {}),
  }
  if (field.inputType === 'textarea')
    return (
      <Textarea
        {...common}
        autosize
        minRows={3}
        maxRows={24}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  return <TextInput {...common} onChange={(event) => onChange(event.currentTarget.value)} />
}

/**
 * The number of characters with its limit. If the text contains full-width and half-width characters, their numbers are
 * shown too. Without limits, the count is shown only for a non-empty text with `long`.
 */
export function CharacterCount({
  value: typed,
  limits,
  long = false,
}: {
  value: string
  long?: boolean
  limits: { minLength?: number | null | undefined; maxLength?: number | null | undefined }
}) {
  const t = useTranslations('fields')
  // Deferred, so that typing is not delayed.
  const value = useDeferredValue(typed)
  if (limits.maxLength == null && limits.minLength == null && !(long && value !== '')) return null
  const count = countCharacters(value)
  const half = countHalfWidth(value)
  const beyond = limits.maxLength != null && count > limits.maxLength
  return (
    <Group justify="flex-end" mt={4}>
      <Text size="xs" c={beyond ? 'var(--mantine-color-error)' : 'dimmed'}>
        {limits.maxLength != null
          ? t('count.ofMaximum', { count, maximum: limits.maxLength })
          : limits.minLength != null
            ? t('count.ofMinimum', { count, minimum: limits.minLength })
            : t('count.plain', { count })}
        {half > 0 && half < count && t('count.widths', { full: count - half, half })}
      </Text>
    </Group>
  )
}
