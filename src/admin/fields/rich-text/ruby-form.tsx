import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import type { Reading } from './inline-elements.ts'

interface RubyFormProps {
  initial: Reading
  /** Whether the form edits an existing ruby. If so, the ruby can also be removed. */
  existing: boolean
  onSubmit: (value: Reading) => void
  onRemove: () => void
  onClose: () => void
}

/** A form for words and their reading. */
export function RubyForm({ initial, existing, onSubmit, onRemove, onClose }: RubyFormProps) {
  const t = useTranslations('fields.richText.ruby')
  const common = useTranslations('common')
  const [words, setWords] = useState(initial.words)
  const [reading, setReading] = useState(initial.reading)
  const [asked, setAsked] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    // React events bubble through this portal to the form of the document.
    event.stopPropagation()
    setAsked(true)
    if (words.trim() !== '' && reading.trim() !== '')
      onSubmit({ words: words.trim(), reading: reading.trim() })
  }

  return (
    <Dialog onClose={onClose} title={t(existing ? 'edit' : 'title')}>
      <form onSubmit={submit} noValidate>
        <FormStack>
          <TextInput
            {...(initial.words === '' ? { 'data-autofocus': true } : {})}
            label={t('words')}
            value={words}
            error={asked && words.trim() === '' && t('empty')}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
          <TextInput
            {...(initial.words === '' ? {} : { 'data-autofocus': true })}
            label={t('reading')}
            placeholder={t('example')}
            value={reading}
            error={asked && reading.trim() === '' && t('empty')}
            onChange={(event) => setReading(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="sm">
            {existing && (
              <Button
                variant="subtle"
                color="red.8"
                c="var(--mantine-color-error)"
                onClick={onRemove}
                mr="auto"
              >
                {t('remove')}
              </Button>
            )}
            <Button variant="default" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button type="submit">{t('apply')}</Button>
          </Group>
        </FormStack>
      </form>
    </Dialog>
  )
}
