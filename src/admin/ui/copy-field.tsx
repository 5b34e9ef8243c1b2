import { ActionIcon, TextInput, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { toast } from '#admin/lib/toast.ts'

/** A button that copies a text. It shows a toast if the browser denies access to the clipboard. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const t = useTranslations('common')
  const [copied, setCopied] = useState(false)

  async function copy() {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
      setTimeout(() => setCopied(false), 2000)
    } catch {
      toast.error(t('copyFailed'))
    }
  }

  return (
    <>
      <Tooltip label={copied ? t('copied') : label}>
        <ActionIcon variant="subtle" color={copied ? 'mizu' : 'gray'} onClick={copy} aria-label={label}>
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden role="status">{copied ? t('copied') : ''}</VisuallyHidden>
    </>
  )
}

/** A read-only text for copying, such as a uid or a token. */
export function CopyField({ label, value, copyLabel }: { label: string; value: string; copyLabel: string }) {
  return (
    <TextInput
      label={label}
      value={value}
      readOnly
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      onFocus={(event) => event.currentTarget.select()}
      rightSection={<CopyButton value={value} label={copyLabel} />}
    />
  )
}
