import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'

export interface AddressFormValue {
  address: string
  text: string
}

interface AddressFormProps {
  initial: AddressFormValue
  /** Whether the form edits an existing picture. If so, the picture can also be removed. */
  existing: boolean
  onSubmit: (value: AddressFormValue) => void
  onRemove: () => void
  onClose: () => void
}

/** A form for the URL and alternative text of a picture. */
export function AddressForm({ initial, existing, onSubmit, onRemove, onClose }: AddressFormProps) {
  const t = useTranslations('fields.richText')
  const common = useTranslations('common')
  const [address, setAddress] = useState(initial.address)
  const [text, setText] = useState(initial.text)
  const [problem, setProblem] = useState<'badAddress' | 'insecureImage' | null>(null)

  function submit(event: FormEvent) {
    event.preventDefault()
    // React events bubble through this portal to the form of the document.
    event.stopPropagation()
    // An unchanged URL is accepted in any form.
    const usable = existing && address === initial.address ? { address } : usableAddress(address, 'image')
    if ('problem' in usable) setProblem(usable.problem)
    else onSubmit({ address: usable.address, text })
  }

  return (
    <Dialog onClose={onClose} title={t(existing ? 'image.edit' : 'image.title')}>
      <form onSubmit={submit} noValidate>
        <FormStack>
          <TextInput
            data-autofocus={!existing || undefined}
            type="url"
            inputMode="url"
            label={t('image.address')}
            placeholder="https://"
            value={address}
            error={problem && t(problem)}
            onChange={(event) => {
              setAddress(event.currentTarget.value)
              setProblem(null)
            }}
          />
          <TextInput
            data-autofocus={existing || undefined}
            label={t('image.alt')}
            description={t('image.altHint')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
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
                {t('image.remove')}
              </Button>
            )}
            <Button variant="default" onClick={onClose}>
              {common('cancel')}
            </Button>
            <Button type="submit">{t(existing ? 'image.change' : 'image.submit')}</Button>
          </Group>
        </FormStack>
      </form>
    </Dialog>
  )
}

/**
 * Returns the normalised URL, or the reason why it cannot be used. `example.com` is completed with `https://`. `/`
 * starts a link within the site, and so does `#` for links. Pictures over http are rejected, because pages over https
 * may not show them.
 */
export function usableAddress(
  typed: string,
  kind: 'link' | 'image',
): { address: string } | { problem: 'badAddress' | 'insecureImage' } {
  const text = typed.trim()
  if (kind === 'image' && /^http:\/\//i.test(text)) return { problem: 'insecureImage' }
  if (/^(?:https?:\/\/|\/(?!\/))\S+$/i.test(text)) return { address: text }
  if (kind === 'link' && /^(?:mailto:|tel:|#)\S+$/i.test(text)) return { address: text }
  if (/^[\w-]+(?:\.[\w-]+)+(?:[/?#]\S*)?$/.test(text)) return { address: `https://${text}` }
  return { problem: 'badAddress' }
}
