import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useSettledSearch } from '#admin/lib/use-settled-search.ts'

interface TypedFilterProps {
  value: string
  onChange: (value: string) => void
  /** Converts typed text to a query value; null if the text is incomplete. */
  read?: (text: string) => string | null
  inputMode?: 'text' | 'decimal'
}

/** A filter whose value is typed. It applies when typing pauses. */
export function TypedFilter({
  value,
  onChange,
  read = (text) => text,
  inputMode = 'text',
}: TypedFilterProps) {
  const t = useTranslations('fields.filter')
  const [typed, setTyped] = useState(value)
  const settled = useSettledSearch(typed)
  const usable = read(settled.text)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only values typed here are reported.
  useEffect(() => {
    if ((usable ?? '') !== value) onChange(usable ?? '')
  }, [usable])

  return (
    <TextInput
      aria-label={t('value')}
      inputMode={inputMode}
      error={usable === null}
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.currentTarget.value)}
      {...settled.composition}
    />
  )
}
