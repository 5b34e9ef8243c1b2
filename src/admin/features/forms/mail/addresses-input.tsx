import { CloseButton, Input, TextInput } from '@mantine/core'
import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useAfterPress } from '#admin/lib/after-press.ts'
import { isComposing } from '#admin/lib/composing.ts'
import { formMailLimits } from '#shared/forms/mail.ts'
import classes from '../forms.module.css'
import own from './mail.module.css'
import { addressIssues, readAddress, splitAddresses } from './mail-values.ts'

/** Returns the name of the input in a line, which receives the focus if the line has an issue. */
export const addressName = (index: number) => `to.${index}`

interface AddressesInputProps {
  /** One address per line. Lines may be empty. */
  value: string
  onChange: (value: string) => void
  /** The message about the addresses after an attempt to save. null: none. */
  error: string | null
  issueText: (issue: { code: string }) => string
  readOnly: boolean
}

/**
 * A list of e-mail addresses with an input for each, and an empty one at the end. A pasted list becomes several lines.
 * Each issue is shown at its address when the user leaves the input.
 */
export function AddressesInput({ value, onChange, error, issueText, readOnly }: AddressesInputProps) {
  const t = useTranslations('forms.mail.notification')
  const id = useId()
  const list = useRef<HTMLFieldSetElement>(null)
  const [edited, setEdited] = useState<number | null>(null)
  const editing = useAfterPress(edited)
  const lines = value === '' ? [] : value.split('\n')
  const count = lines.filter((line) => line.trim() !== '').length
  const hasEmpty = lines.at(-1)?.trim() === ''
  const rows = readOnly || hasEmpty || count >= formMailLimits.recipients ? lines : [...lines, '']
  const issues = addressIssues(value)
  const problemAt = (index: number) => {
    const issue = issues.get(index)
    return issue && (error !== null || editing !== index) ? issueText(issue) : null
  }

  const replace = (next: readonly string[]) => onChange(next.join('\n').replace(/\n+$/, ''))
  const focus = (index: number) =>
    setTimeout(() => list.current?.querySelector<HTMLElement>(`[name="${addressName(index)}"]`)?.focus())

  function paste(event: ClipboardEvent<HTMLInputElement>, index: number) {
    const pasted = event.clipboardData.getData('text')
    const addresses = splitAddresses(pasted)
    const isList = addresses.length > 1 || /[<>\n]/.test(pasted.trim())
    if (!isList || addresses.length === 0) return
    event.preventDefault()
    const isEmpty = rows[index]?.trim() === ''
    replace([...rows.slice(0, isEmpty ? index : index + 1), ...addresses, ...rows.slice(index + 1)])
    focus(index + addresses.length - (isEmpty ? 1 : 0))
  }

  function goOn(event: KeyboardEvent<HTMLInputElement>, index: number) {
    if (event.key !== 'Enter' || isComposing(event) || rows[index]?.trim() === '') return
    // Otherwise Enter would save the form, although the next address is expected.
    event.preventDefault()
    focus(index + 1)
  }

  if (readOnly && lines.length === 0)
    return (
      <div>
        <p className={classes.caption}>{t('to')}</p>
        <p className={classes.hint}>{t('nobody')}</p>
      </div>
    )
  return (
    <fieldset
      className={classes.plain}
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-hint`}
      ref={list}
    >
      <p className={classes.caption} id={`${id}-label`}>
        {t('to')}
      </p>
      <p className={classes.hint} id={`${id}-hint`}>
        {t('toHint', { count: formMailLimits.recipients })}
      </p>
      <div className={own.addresses}>
        {rows.map((line, index) => (
          <TextInput
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no other identity.
            key={index}
            name={addressName(index)}
            aria-label={t('address', { number: index + 1 })}
            type="text"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="staff@example.com"
            maxLength={320}
            value={line}
            error={problemAt(index)}
            readOnly={readOnly}
            onFocus={() => setEdited(index)}
            onBlur={() => {
              setEdited(null)
              if (!readOnly && line !== readAddress(line)) replace(rows.with(index, readAddress(line)))
            }}
            onChange={(event) => replace(rows.with(index, event.currentTarget.value))}
            onPaste={(event) => paste(event, index)}
            onKeyDown={(event) => goOn(event, index)}
            {...(!readOnly && line !== ''
              ? {
                  rightSectionPointerEvents: 'all',
                  rightSection: (
                    <CloseButton
                      size="sm"
                      aria-label={t('remove', { address: line })}
                      onClick={() => {
                        replace(rows.filter((_, at) => at !== index))
                        focus(index)
                      }}
                    />
                  ),
                }
              : {})}
          />
        ))}
      </div>
      {error !== null && issues.size === 0 && (
        <Input.Error role="alert" mt={5}>
          {error}
        </Input.Error>
      )}
    </fieldset>
  )
}
