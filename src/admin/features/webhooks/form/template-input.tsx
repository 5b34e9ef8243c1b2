import { Combobox, Textarea, useCombobox } from '@mantine/core'
import { type RefObject, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import classes from '../webhooks.module.css'
import { endAfter, typedBefore, written } from './placeholders.ts'

/** Maximum number of suggestions in the list, which scrolls. */
const maxSuggestions = 100

export interface Suggestion {
  /** The name of a placeholder. */
  name: string
  text: string
}

interface TemplateInputProps {
  area: RefObject<HTMLTextAreaElement | null>
  value: string
  error: string | null
  suggestions: readonly Suggestion[]
  onChange: (value: string) => void
  /** Replaces a part of the text and moves the caret to its end. */
  onInsert: (from: number, to: number, text: string) => void
}

/** A text area for JSON with placeholders. It suggests placeholders once `{{` has been typed. */
export function TemplateInput({ area, value, error, suggestions, onChange, onInsert }: TemplateInputProps) {
  const t = useTranslations('webhooks.form.body')
  const combobox = useCombobox()
  const [typed, setTyped] = useState<string | null>(null)
  const name = typed?.toLowerCase() ?? ''
  const shown =
    typed === null
      ? []
      : suggestions
          .filter((one) => one.name.toLowerCase().includes(name))
          .sort((one, other) => rank(one.name, name) - rank(other.name, name))
          .slice(0, maxSuggestions)
  const isOpen = shown.length > 0

  // biome-ignore lint/correctness/useExhaustiveDependencies: `combobox` changes with every render.
  useEffect(() => {
    if (!isOpen) return combobox.closeDropdown()
    combobox.openDropdown()
    combobox.selectFirstOption()
  }, [isOpen, typed])

  /** Suggests placeholders that fit the text before the caret. */
  function look(): void {
    const { current } = area
    const isCaret = current !== null && current.selectionStart === current.selectionEnd
    setTyped(isCaret ? (typedBefore(current.value, current.selectionStart)?.name ?? null) : null)
  }

  function choose(chosen: string): void {
    const { current } = area
    const found = current && typedBefore(current.value, current.selectionStart)
    if (!found) return
    onInsert(found.from, endAfter(current.value, current.selectionStart), written(chosen))
    setTyped(null)
  }

  return (
    <Combobox store={combobox} onOptionSubmit={choose} onClose={() => setTyped(null)} withinPortal={false}>
      {/* Without suggestions, the arrow keys move the caret. */}
      <Combobox.Target withKeyboardNavigation={isOpen}>
        <Textarea
          ref={area}
          name="body"
          label={t('template')}
          description={t('templateHint', { braces: '{{' })}
          value={value}
          error={error}
          onChange={(event) => {
            onChange(event.currentTarget.value)
            // Text of an IME composition is not the name of a placeholder yet.
            if (!(event.nativeEvent as InputEvent).isComposing) look()
          }}
          onKeyUp={(event) => {
            if (!isComposing(event) && /^(Arrow(Left|Right)|Home|End)$/.test(event.key)) look()
          }}
          onClick={look}
          onBlur={() => setTyped(null)}
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          aria-autocomplete="list"
          classNames={{ input: classes.template ?? '' }}
          required
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={!isOpen}>
        <Combobox.Options aria-label={t('suggestions')} mah={260} style={{ overflowY: 'auto' }}>
          {shown.map((one) => (
            <Combobox.Option value={one.name} key={one.name}>
              <code>{one.name}</code> <span className={classes.explained}>{one.text}</span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** Returns a sort key: names that begin with the typed text come first. */
const rank = (name: string, typed: string) => (name.toLowerCase().startsWith(typed) ? 0 : 1)
