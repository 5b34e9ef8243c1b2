import { Button, Group, Menu, TextInput } from '@mantine/core'
import { IconChevronDown, IconLink, IconUpload } from '@tabler/icons-react'
import { type FormEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import classes from './upload-button.module.css'

interface UploadButtonProps {
  onSources: (sources: (File | URL)[]) => void
  accept?: string | undefined
  single?: boolean
  variant?: 'filled' | 'default'
}

/** The button アップロード, for files of this computer or a public URL. */
export function UploadButton({ onSources, accept, single = false, variant = 'filled' }: UploadButtonProps) {
  const t = useTranslations('assets.upload')
  const input = useRef<HTMLInputElement>(null)
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button.Group>
        <Button
          variant={variant}
          leftSection={<IconUpload size={16} />}
          onClick={() => input.current?.click()}
        >
          {t('button')}
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant={variant} px={10} className={classes.more ?? ''} aria-label={t('otherWays')}>
              <IconChevronDown size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconLink size={16} />} onClick={() => setAsking(true)}>
              {t('fromUrl')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
      <input
        ref={input}
        type="file"
        hidden
        multiple={!single}
        accept={accept}
        aria-label={t('button')}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          // Allows the same file to be chosen again.
          event.currentTarget.value = ''
          if (files.length > 0) onSources(files)
        }}
      />
      {asking && (
        <UrlDialog
          onClose={(url) => {
            setAsking(false)
            if (url) onSources([url])
          }}
        />
      )}
    </>
  )
}

function UrlDialog({ onClose }: { onClose: (url: URL | null) => void }) {
  const t = useTranslations('assets.upload')
  const common = useTranslations('common')
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    event.stopPropagation()
    const url = readUrl(typed)
    if (url) onClose(url)
    else setWrong(true)
  }

  return (
    <Dialog onClose={() => onClose(null)} title={t('urlTitle')}>
      <form onSubmit={submit} noValidate>
        <FormStack>
          <TextInput
            data-autofocus
            type="url"
            label={t('url')}
            description={t('urlHint')}
            placeholder="https://example.com/photo.jpg"
            maxLength={4096}
            value={typed}
            error={wrong ? t('urlWrong') : null}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setWrong(false)
            }}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => onClose(null)}>
              {common('cancel')}
            </Button>
            <Button type="submit">{t('fetch')}</Button>
          </Group>
        </FormStack>
      </form>
    </Dialog>
  )
}

function readUrl(text: string): URL | null {
  try {
    const url = new URL(text.trim())
    return /^https?:$/.test(url.protocol) ? url : null
  } catch {
    return null
  }
}
