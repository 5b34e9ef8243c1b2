import { CloseButton, TextInput, type TextInputProps } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { useShortcut } from '#admin/lib/shortcuts.ts'
import { useSettledSearch } from '#admin/lib/use-settled-search.ts'

interface SearchBoxProps extends Pick<TextInputProps, 'className'> {
  'data-autofocus'?: true
  /** The search text from the URL. */
  value: string
  onSearch: (text: string) => void
  label: string
  /** Whether `/` focuses the box. Only one search box of a page may use this. */
  shortcut?: boolean
}

/** A search box. `onSearch` is debounced and not called during a composition. */
export function SearchBox({ value, onSearch, label, shortcut = true, ...props }: SearchBoxProps) {
  const t = useTranslations('common')
  const [typed, setTyped] = useState(value)
  const box = useRef<HTMLInputElement>(null)
  const settled = useSettledSearch(typed)
  /** The search that this box requested last. Any other value in the URL has a different source (Back, a link). */
  const asked = useRef(value)
  const latest = useRef(onSearch)
  latest.current = onSearch

  useEffect(() => {
    if (settled.text === asked.current) return
    asked.current = settled.text
    latest.current(settled.text)
  }, [settled.text])

  useEffect(() => {
    if (value === asked.current) return
    asked.current = value
    setTyped(value)
  }, [value])

  useShortcut('/', label, () => box.current?.focus(), shortcut)

  return (
    <TextInput
      ref={box}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} />}
      rightSection={
        typed ? <CloseButton size="sm" aria-label={t('clearSearch')} onClick={() => setTyped('')} /> : null
      }
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (isComposing(event)) return
        if (event.key === 'Escape' && typed) {
          event.stopPropagation()
          setTyped('')
        }
      }}
      {...settled.composition}
      {...props}
    />
  )
}
