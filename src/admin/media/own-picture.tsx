import { Button, Group, Input } from '@mantine/core'
import { IconPhotoUp, IconX } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFileSize } from '#admin/ui/file-size.ts'
import classes from './own-picture.module.css'
import { maximumBytes, maximumFiles, type Refusal, refusalsOf } from './upload/check.ts'

interface OwnPictureProps {
  label: string
  hint: string
  /** URL of the current picture; null without a picture. */
  src: string | null
  children: ReactNode
  shape: 'square' | 'round' | 'wide'
  upload: (form: FormData) => Promise<unknown>
  remove: () => Promise<unknown>
}

/**
 * An icon or cover that the user uploads from their computer. It is saved immediately and is not part of the media
 * library.
 */
export function OwnPicture({ label, hint, src, children, shape, upload, remove }: OwnPictureProps) {
  const t = useTranslations('assets')
  const size = useFileSize()
  const input = useRef<HTMLInputElement>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const sending = useMutation({ mutationFn: upload })
  const removing = useMutation({ mutationFn: remove })
  const choosing = src ? t('ownPicture.change') : t('ownPicture.choose')

  function choose(file: File) {
    const [refused = null] = refusalsOf([file], 'image/*')
    setRefusal(refused)
    if (refused) return
    const form = new FormData()
    form.append('file', file)
    sending.mutate(form)
  }

  return (
    <Input.Wrapper
      label={label}
      description={hint}
      error={refusal && t(`upload.refused.${refusal}`, { files: maximumFiles, size: size(maximumBytes) })}
      labelElement="div"
      inputWrapperOrder={['label', 'description', 'input', 'error']}
    >
      <Group gap="md" mt={6} align="center">
        <span className={classes.frame} data-shape={shape} aria-hidden="true">
          {src ? <img src={src} alt="" /> : children}
        </span>
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconPhotoUp size={16} />}
            loading={sending.isPending}
            disabled={removing.isPending}
            aria-label={`${label}: ${choosing}`}
            onClick={() => input.current?.click()}
          >
            {choosing}
          </Button>
          {src && (
            <Button
              variant="subtle"
              color="gray"
              leftSection={<IconX size={16} />}
              loading={removing.isPending}
              disabled={sending.isPending}
              aria-label={`${label}: ${t('ownPicture.remove')}`}
              onClick={() => removing.mutate()}
            >
              {t('ownPicture.remove')}
            </Button>
          )}
        </Group>
      </Group>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/*"
        aria-label={label}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          // Allows the same file to be chosen again.
          event.currentTarget.value = ''
          if (file) choose(file)
        }}
      />
    </Input.Wrapper>
  )
}
