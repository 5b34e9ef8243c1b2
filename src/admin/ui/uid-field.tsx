import { TextInput, type TextInputProps } from '@mantine/core'
import type { FocusEvent } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import { uidText } from '#admin/lib/uid.ts'
import type { UidKind } from '#shared/identifiers.ts'

interface UidFieldProps extends Omit<TextInputProps, 'value'> {
  kind: UidKind
  /** What stands in the input, watched: it is checked with every letter. */
  current: string
  /** The uid it has on the server, for something that exists. */
  own?: string
  /** Writes what it would be by the name, if anything: asked for when somebody comes into an empty input. */
  suggest?: () => void
}

/**
 * For the `onFocus` of an input: an empty one takes what it would be. A suggestion is selected: it stays, or is typed
 * over.
 */
export const takesSuggestion =
  (current: string, suggest: (() => void) | undefined) =>
  ({ currentTarget }: FocusEvent<HTMLInputElement>): void => {
    if (current !== '' || !suggest) return
    flushSync(suggest)
    currentTarget.select()
  }

/**
 * The input of a uid. Says at once what is wrong with what was typed; leaves an empty one to the form's check.
 */
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
