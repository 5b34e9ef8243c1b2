import { Alert, Button, Group, Text } from '@mantine/core'
import { IconHistory, IconInfoCircle, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { giveFocusBack } from '#admin/lib/focus-back.ts'
import { useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { documentsChanged } from '../documents.queries.ts'
import { runOne } from '../list/bulk-actions.ts'
import { useDocument, useEditor } from './editor-context.ts'
import { fieldElementId } from './field-editor.tsx'
import type { FoundCopy } from './unsaved-copies.ts'

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

interface CopyNoticeProps {
  copy: FoundCopy
  onRestore: () => void
  onDismiss: () => void
}

/** An earlier visit left something unsaved: put it on the screen, or throw it away. */
export function CopyNotice({ copy, onRestore, onDismiss }: CopyNoticeProps) {
  const t = useTranslations('documents.editor')
  const format = useFormatter()
  const editor = useEditor()
  const nameOf = useFieldName()

  /** The question goes away with its buttons: the focus goes to the first field. */
  function decide(act: () => void) {
    act()
    const first = window.document.getElementById(fieldElementId(editor.model.fields[0]?.uid ?? '', editor))
    setTimeout(() => giveFocusBack(first), 0)
  }

  return (
    <Alert color="blue" variant="light" icon={<IconHistory size={18} />} title={t('restoreTitle')} mb="lg">
      <Text size="sm" mb="xs">
        {t('restoreText', {
          time: format.dateTime(new Date(copy.at), { dateStyle: 'medium', timeStyle: 'short' }),
          fields: format.list(Object.keys(copy.values).map(nameOf)),
        })}
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={() => decide(onRestore)}>
          {t('restore')}
        </Button>
        <Button size="xs" variant="default" onClick={() => decide(onDismiss)}>
          {t('dismiss')}
        </Button>
      </Group>
    </Alert>
  )
}

/** Fields were changed by somebody else, or by oneself in another tab, and are on the screen now. */
export function TakenNotice({ taken, onClose }: { taken: readonly string[]; onClose: () => void }) {
  const t = useTranslations('documents.editor')
  const conflict = useTranslations('documents.conflict')
  const format = useFormatter()
  const account = useAccount()
  const by = useDocument()?.sys.updatedBy
  const nameOf = useFieldName()
  const fields = format.list(taken.map(nameOf))
  const name = by?.name ? conflict('person', { name: by.name }) : conflict('somebody')
  return (
    <Notice onClose={onClose}>
      {by?._id === account?._id ? t('takenOwn', { fields }) : t('taken', { name, fields })}
    </Notice>
  )
}

function useFieldName(): (uid: string) => string {
  const { model } = useEditor()
  return (uid) => model.fields.find((field) => field.uid === uid)?.name ?? uid
}
