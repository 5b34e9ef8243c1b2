import { Button, Group, Stack, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { useEmbedCode } from '../embed/use-embed-code.ts'
import { embedHtml } from './embeds.ts'

/** Asks for the address of what is to be embedded, or for its code; answers the HTML of the block. */
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

  function submit(event: FormEvent) {
    event.preventDefault()
    // The document's own form is around this one in React, though not on the screen.
    event.stopPropagation()
    void ask(typed)
  }

  return (
    <Dialog onClose={onClose} title={t('title')}>
      <form onSubmit={submit} noValidate>
        <Stack>
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
        </Stack>
      </form>
    </Dialog>
  )
}
