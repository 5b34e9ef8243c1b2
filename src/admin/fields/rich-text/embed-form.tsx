import { Button, Group, Textarea } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { useEmbedCode } from '../embed/use-embed-code.ts'
import { embedHtml } from './embeds.ts'

/** A form for the URL or code of an embed. It submits the HTML of the block. */
export function EmbedForm({ onSubmit, onClose }: { onSubmit: (html: string) => void; onClose: () => void }) {
  const t = useTranslations('fields.richText.embed')
  const embed = useTranslations('fields.embed')
  const common = useTranslations('common')
  const [typed, setTyped] = useState('')
  const [empty, setEmpty] = useState(false)
  const { ask, asking, problem, forget } = useEmbedCode(({ code, url }) => {
    const html = code === '' ? null : embedHtml(code, url)
    if (html === null) setEmpty(true)
    else onSubmit(html)
  })

  function submit(event: FormEvent | KeyboardEvent) {
    event.preventDefault()
    // React events bubble through this portal to the form of the document.
    event.stopPropagation()
    void ask(typed)
  }

  /** Enter submits the form. Shift+Enter inserts a line break. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && !event.shiftKey && !isComposing(event)) submit(event)
  }

  return (
    <Dialog onClose={onClose} title={t('title')}>
      <form onSubmit={submit} noValidate>
        <FormStack>
          <Textarea
            data-autofocus
            label={t('address')}
            description={embed('hint')}
            placeholder="https://"
            autosize
            minRows={2}
            maxRows={10}
            spellCheck={false}
            value={typed}
            error={problem ?? (empty && t('nothing'))}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setEmpty(false)
              forget()
            }}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button type="submit" loading={asking}>
              {embed('apply')}
            </Button>
          </Group>
        </FormStack>
      </form>
    </Dialog>
  )
}
