import { Button, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { SortableItems } from '#admin/fields/sortable-items.tsx'
import { isComposing } from '#admin/lib/composing.ts'
import { type FormField, formLimits } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import type { Language } from '#shared/languages.ts'
import { otherLanguage } from '../form-text.ts'
import classes from '../forms.module.css'

export type FieldOption = Extract<FormField, { type: 'choice' }>['options'][number]

interface OptionsInputProps {
  value: readonly FieldOption[]
  onChange: (options: FieldOption[]) => void
  /** Values of the saved options. They do not follow the labels, because sites already send them. */
  savedValues: ReadonlySet<string>
  language: Language
  readOnly: boolean
  problem: (property: string) => string | null
  onBlur: (property: string) => void
}

let lastKey = 0
const nextKeys = (count: number) => Array.from({ length: count }, () => `option-${++lastKey}`)

/** The options of a choice: the label that visitors see, and the value that is sent. */
export function OptionsInput(props: OptionsInputProps) {
  const { value: options, onChange, savedValues, language, readOnly, problem, onBlur } = props
  const t = useTranslations('forms.options')
  const [keys, setKeys] = useState(() => nextKeys(options.length))
  const shownKeys = keys.length === options.length ? keys : nextKeys(options.length)

  const list = useRef<HTMLDivElement>(null)
  /** The new row that receives the focus as soon as it is rendered. */
  const added = useRef<string | null>(null)
  useEffect(() => {
    if (added.current === null) return
    const input = list.current?.querySelector<HTMLInputElement>(`input[data-option="${added.current}"]`)
    if (!input) return
    added.current = null
    input.focus()
  })
  const isFull = options.length >= formLimits.options

  function addAt(index: number) {
    const keysOfRows = [...shownKeys.slice(0, index), ...nextKeys(1), ...shownKeys.slice(index)]
    added.current = keysOfRows[index] ?? null
    replace(
      [...options.slice(0, index), { value: '', label: { ja: '', en: '' } }, ...options.slice(index)],
      keysOfRows,
    )
  }

  /** Adds a row below on Enter. */
  function onKeyDown(event: KeyboardEvent, index: number) {
    if (event.key !== 'Enter' || event.metaKey || event.ctrlKey || event.altKey || isComposing(event)) return
    event.preventDefault()
    if (!readOnly && !isFull) addAt(index + 1)
  }

  function replace(next: FieldOption[], nextKeysOfRows: string[]) {
    setKeys(nextKeysOfRows)
    onChange(next)
  }

  function relabel(index: number, text: string) {
    onChange(
      options.map((option, at) => {
        if (at !== index) return option
        const label = { ...option.label, [language]: text }
        const follows = option.value === textIn(option.label, 'ja') && !savedValues.has(option.value)
        return { label, value: follows ? textIn(label, 'ja') : option.value }
      }),
    )
  }

  /** Inserts one option for each pasted line. */
  function insertLines(index: number, lines: string[]) {
    const added = lines.slice(0, formLimits.options - options.length + 1).map((line) => ({
      value: line.slice(0, 200),
      label: { ja: '', en: '', [language]: line.slice(0, 200) },
    }))
    replace(
      [...options.slice(0, index), ...added, ...options.slice(index + 1)],
      [...shownKeys.slice(0, index), ...nextKeys(added.length), ...shownKeys.slice(index + 1)],
    )
  }

  return (
    <div ref={list}>
      <p className={classes.caption}>{t('label')}</p>
      <p className={classes.hint}>{t('hint')}</p>
      <SortableItems
        keys={shownKeys}
        names={options.map((option) => textIn(option.label, language) || option.value)}
        readOnly={readOnly}
        isKept={() => options.length === 1}
        onMove={(from, to) => {
          const move = <Item,>(list: readonly Item[]) => {
            const next = [...list]
            next.splice(to, 0, ...next.splice(from, 1))
            return next
          }
          replace(move(options), move(shownKeys))
        }}
        onRemove={(index) =>
          replace(
            options.filter((_, at) => at !== index),
            shownKeys.filter((_, at) => at !== index),
          )
        }
      >
        {(index) => {
          const option = options[index]
          if (!option) return null
          return (
            <div className={classes.option}>
              <TextInput
                data-option={shownKeys[index]}
                aria-label={t('labelOf', { number: index + 1 })}
                placeholder={option.label[otherLanguage(language)] || t('labelExample')}
                lang={language}
                value={option.label[language]}
                error={problem(`options.${index}.label`)}
                readOnly={readOnly}
                maxLength={200}
                onChange={(event) => relabel(index, event.currentTarget.value)}
                onBlur={() => onBlur(`options.${index}.label`)}
                onKeyDown={(event) => onKeyDown(event, index)}
                onPaste={(event) => {
                  const lines = event.clipboardData
                    .getData('text')
                    .split(/\r?\n/)
                    .map((line) => line.trim())
                    .filter(Boolean)
                  if (lines.length < 2 || option.label[language] !== '') return
                  event.preventDefault()
                  insertLines(index, lines)
                }}
              />
              <TextInput
                aria-label={t('valueOf', { number: index + 1 })}
                placeholder={t('valueExample')}
                value={option.value}
                error={problem(`options.${index}.value`)}
                readOnly={readOnly}
                maxLength={200}
                autoComplete="off"
                spellCheck={false}
                styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
                onChange={(event) => {
                  const value = event.currentTarget.value
                  onChange(options.map((one, at) => (at === index ? { ...one, value } : one)))
                }}
                onBlur={() => onBlur(`options.${index}.value`)}
                onKeyDown={(event) => onKeyDown(event, index)}
              />
            </div>
          )
        }}
      </SortableItems>
      {!readOnly && (
        <Button
          variant="subtle"
          size="xs"
          mt={6}
          leftSection={<IconPlus size={14} />}
          disabled={isFull}
          onClick={() => addAt(options.length)}
        >
          {t('add')}
        </Button>
      )}
    </div>
  )
}
