import { TextInput, type TextInputProps } from '@mantine/core'
import type { FocusEvent } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import { uidText } from '#admin/lib/uid.ts'
import type { UidKind } from '#shared/identifiers.ts'

interface UidFieldProps extends Omit<TextInputProps, 'value'> {
  kind: UidKind
  /** The current text of the input. */
  current: string
  /** The saved uid of an existing resource. */
  own?: string
  /** Fills in a suggested uid, if the form has one. Called when an empty input receives the focus. */
  suggest?: () => void
}

/**
 * Returns a handler for `onFocus` that fills an empty input with the suggestion and selects the suggestion, so that
 * typing replaces it.
 */
export const takesSuggestion =
  (current: string, suggest: (() => void) | undefined) =>
  ({ currentTarget }: FocusEvent<HTMLInputElement>): void => {
    if (current !== '' || !suggest) return
    flushSync(suggest)
    currentTarget.select()
  }

/** An input for a uid. Shows problems of a typed value immediately, but not that the value is empty. */
export function UidField({ kind, current, own, suggest, error, ...props }: UidFieldProps) {
  const t = useTranslations('common')
  return (
    <TextInput
      label={t('uid')}
      description={t('uidHint')}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      error={(current && uidText(kind, current, own)) || error}
      onFocus={takesSuggestion(current, suggest)}
      {...props}
    />
  )
}
