import { Alert, Button, Group, Text } from '@mantine/core'
import { IconInfoCircle, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { documentsChanged } from '../documents.queries.ts'
import { runOne } from '../list/bulk-actions.ts'
import { useDocument, useEditor } from './editor-context.ts'

/** Something happened to what is on the screen. */
export function Notice({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const t = useTranslations('documents.editor')
  return (
    <Alert
      color="blue"
      variant="light"
      icon={<IconInfoCircle size={18} />}
      mb="lg"
      role="status"
      withCloseButton
      closeButtonLabel={t('closeNotice')}
      onClose={onClose}
    >
      {children}
    </Alert>
  )
}

/** Somebody deleted the document meanwhile: bring it back, or save what is on the screen as another one. */
export function DeletedNotice({ mayRestore, saveAsNew }: { mayRestore: boolean; saveAsNew: () => void }) {
  const t = useTranslations('documents.editor')
  const { place, saver } = useEditor()
  const document = useDocument()
  const [running, setRunning] = useState(false)

  async function restore(id: string) {
    setRunning(true)
    try {
      const restored = await runOne(place, 'restore', id)
      saver.markRestored(restored)
      documentsChanged(place, restored)
      toast.success(t('deletedRestored'))
    } catch (error) {
      toast.error(errorText(error))
    } finally {
      setRunning(false)
    }
  }

  return (
    <Alert color="red" variant="light" icon={<IconTrash size={18} />} title={t('deletedTitle')} mb="lg">
      <Text size="sm" mb="xs">
        {t('deletedText')}
      </Text>
      <Group gap="xs">
        {mayRestore && document && (
          <Button size="xs" loading={running} onClick={() => void restore(document.id)}>
            {t('deletedRestore')}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={saveAsNew}>
          {t('saveAsNew')}
        </Button>
      </Group>
    </Alert>
  )
}
