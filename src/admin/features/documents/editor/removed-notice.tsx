import { Alert, Button, Text } from '@mantine/core'
import { IconUserOff } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { useEditor } from './editor-context.ts'
import { useCopyTexts } from './use-copy-texts.ts'

/**
 * A notice that the user was removed from the space or app, or that the model was deleted or got another uid. The input
 * can still be copied.
 */
export function RemovedNotice({ what }: { what: 'person' | 'model' }) {
  const t = useTranslations('documents.editor')
  const copy = useCopyTexts()
  const { model, store } = useEditor()

  function copyAll() {
    const values = store.all()
    const texts = model.fields.flatMap(({ uid, name }) => {
      const value = values[uid]
      if (value === undefined || value === null || value === '') return []
      return [{ name, text: typeof value === 'string' ? value : JSON.stringify(value) }]
    })
    void copy(texts)
  }

  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconUserOff size={18} />}
      title={what === 'person' ? t('removedTitle') : t('modelGoneTitle')}
      mb="lg"
      role="alert"
    >
      <Text size="sm" mb="xs">
        {what === 'person' ? t('removedText') : t('modelGoneText')}
      </Text>
      <Button size="xs" variant="default" onClick={copyAll}>
        {t('removedCopy')}
      </Button>
    </Alert>
  )
}
