import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'

export interface AddressFormValue {
  address: string
  /** The words of a link, or what a picture shows. */
  text: string
}

interface AddressFormProps {
  kind: 'link' | 'image'
  initial: AddressFormValue
  /** Is there a link already that could be taken away? */
  removable: boolean
  onSubmit: (value: AddressFormValue) => void
  onRemove: () => void
  onClose: () => void
}

/** Asks for the address of a link or of a picture. */
export function AddressForm({ kind, initial, removable, onSubmit, onRemove, onClose }: AddressFormProps) {
  const t = useTranslations('fields.richText')
  const common = useTranslations('common')
  const [address, setAddress] = useState(initial.address)
  const [text, setText] = useState(initial.text)
  const [problem, setProblem] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    // The document's own form is around this one in React, though not on the screen.
    event.stopPropagation()
    const usable = usableAddress(address, kind)
    if (usable === null) setProblem(true)
    else onSubmit({ address: usable, text })
  }

  return (
    <Dialog onClose={onClose} title={t(`${kind}.title`)}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            data-autofocus
            type="url"
            inputMode="url"
            label={t(`${kind}.address`)}
            placeholder="https://"
            value={address}
            error={problem ? t('badAddress') : null}
            onChange={(event) => {
              setAddress(event.currentTarget.value)
              setProblem(false)
            }}
          />
          {kind === 'image' && (
            <TextInput
              label={t('image.alt')}
              description={t('image.altHint')}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end" gap="sm">
            {removable && (
              <Button
                variant="subtle"
                color="red.8"
                c="var(--mantine-color-error)"
                onClick={onRemove}
                mr="auto"
              >
                {t('link.remove')}
              </Button>
            )}
            <Button variant="default" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button type="submit">{t(`${kind}.submit`)}</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** The address as it is kept, or null. `example.com` is meant as https; pages of the same site begin with `/` or `#`. */
export function usableAddress(typed: string, kind: 'link' | 'image'): string | null {
  const text = typed.trim()
  if (text === '') return null
  if (/^(?:https?:\/\/|\/(?!\/))\S+$/i.test(text)) return encodeSpaces(text)
  if (kind === 'link' && /^(?:mailto:|tel:|#)\S+$/i.test(text)) return text
  if (/^[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/.test(text)) return `https://${text}`
  return null
}

function encodeSpaces(text: string): string {
  return text.replace(/ /g, '%20')
}
