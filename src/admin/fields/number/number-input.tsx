import { ActionIcon, TextInput } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { type KeyboardEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { readNumber, stepBy, writeNumber } from './exact-number.ts'
import classes from './number-input.module.css'

/**
 * The input of a number field. It shows the text as typed until it loses the focus. Text that is not a number is passed
 * on unchanged, and validation rejects it.
 */
export function NumberFieldInput(props: FieldInputProps<'NUMBER'>) {
  const { field, value, onChange, readOnly } = props
  const t = useTranslations('fields')
  const [typed, setTyped] = useState(() => textOf(value))
  // The text and the value may have different notations (`1.50` and 1.5) of the same number.
  const shown = sameNumber(typed, value) ? typed : textOf(value)
  const step = field.step ?? 1

  function type(text: string) {
    setTyped(text)
    const read = readNumber(text)
    onChange(read.kind === 'empty' ? undefined : read.kind === 'number' ? read.value : text)
  }

  function move(direction: 1 | -1) {
    const read = readNumber(shown)
    if (readOnly || read.kind === 'bad') return
    type(writeNumber(stepBy(read.kind === 'number' ? read.value : (field.min ?? 0), step, direction, field)))
  }

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event) || event.altKey || event.metaKey || event.ctrlKey) return
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    move(event.key === 'ArrowUp' ? 1 : -1)
  }

  return (
    <TextInput
      {...inputAria(props)}
      className={classes.root}
      inputMode={field.integer ? 'numeric' : 'decimal'}
      autoComplete="off"
      value={shown}
      readOnly={readOnly}
      error={props.issues.length > 0}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={() => {
        const read = readNumber(shown)
        if (read.kind === 'number') setTyped(writeNumber(read.value))
        props.onBlur()
      }}
      {...(readOnly
        ? {}
        : {
            rightSection: (
              <span className={classes.steps}>
                <ActionIcon
                  size={16}
                  variant="subtle"
                  color="gray"
                  tabIndex={-1}
                  aria-label={t('number.up', { step })}
                  onClick={() => move(1)}
                >
                  <IconChevronUp size={12} />
                </ActionIcon>
                <ActionIcon
                  size={16}
                  variant="subtle"
                  color="gray"
                  tabIndex={-1}
                  aria-label={t('number.down', { step })}
                  onClick={() => move(-1)}
                >
                  <IconChevronDown size={12} />
                </ActionIcon>
              </span>
            ),
          })}
    />
  )
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return writeNumber(value)
  return typeof value === 'string' ? value : ''
}

function sameNumber(typed: string, value: unknown): boolean {
  const read = readNumber(typed)
  if (read.kind === 'number') return value === read.value
  if (read.kind === 'empty') return value == null || value === ''
  return value === typed
}
