import { Alert, Button, Text } from '@mantine/core'
import { IconUserOff } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { toast } from '#admin/lib/toast.ts'
import { useEditor } from './editor-context.ts'

/** Whoever writes was taken out of the space or the app meanwhile: told so, with all that they wrote still here. */
export function RemovedNotice() {
  const t = useTranslations('documents.editor')
  const common = useTranslations('common')
  const { model, store } = useEditor()

  async function copy() {
    const values = store.all()
    const lines = model.fields.flatMap(({ uid, name }) => {
      const value = values[uid]
      if (value === undefined || value === null || value === '') return []
      return [`${name}\n${typeof value === 'string' ? value : JSON.stringify(value)}`]
    })
    try {
      await navigator.clipboard.writeText(lines.join('\n\n'))
      toast.success(t('removedCopied'))
    } catch {
      toast.error(common('copyFailed'))
    }
  }

  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconUserOff size={18} />}
      title={t('removedTitle')}
      mb="lg"
      role="alert"
    >
      <Text size="sm" mb="xs">
        {t('removedText')}
      </Text>
      <Button size="xs" variant="default" onClick={() => void copy()}>
        {t('removedCopy')}
      </Button>
    </Alert>
  )
}
