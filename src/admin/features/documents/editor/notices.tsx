import { Alert, Button, Group, Text } from '@mantine/core'
import { IconHistory, IconInfoCircle, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { giveFocusBack } from '#admin/lib/focus-back.ts'
import { useAccount } from '#admin/lib/session.ts'
import { toast } from '#admin/lib/toast.ts'
import { changeAuthorsQuery, documentsChanged } from '../documents.queries.ts'
import { runOne } from '../list/bulk-actions.ts'
import type { MergedChanges } from './document-saver.ts'
import { useDocument, useEditor } from './editor-context.ts'
import { fieldElementId } from './field-editor.tsx'
import type { FoundCopy } from './unsaved-copies.ts'

/** A notice about the shown document. */
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

/**
 * A notice that the document was deleted meanwhile. The user can save the input as a new document. Users who may delete
 * the document can also restore it.
 */
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

/** A notice of unsaved input from an earlier visit. The user can restore or discard it. */
export function CopyNotice({ copy, onRestore, onDismiss }: CopyNoticeProps) {
  const t = useTranslations('documents.editor')
  const format = useFormatter()
  const nameOf = useFieldName()
  const decide = useDecide()
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

/** A notice that a restored copy has overwritten input. The user can undo that, or close the notice. */
export function ReplacedNotice({
  input,
  onUndo,
  onClose,
}: {
  input: FoundCopy
  onUndo: () => void
  onClose: () => void
}) {
  const t = useTranslations('documents.editor')
  const format = useFormatter()
  const nameOf = useFieldName()
  const decide = useDecide()
  return (
    <Notice onClose={() => decide(onClose)}>
      <Text size="sm" mb="xs">
        {t('replaced', { fields: format.list(Object.keys(input.values).map(nameOf)) })}
      </Text>
      <Button size="xs" variant="default" onClick={() => decide(onUndo)}>
        {t('replacedUndo')}
      </Button>
    </Notice>
  )
}

/**
 * Returns a function that runs an action and moves the focus to the first field, because the notice disappears with its
 * buttons.
 */
function useDecide(): (act: () => void) => void {
  const editor = useEditor()
  return (act) => {
    act()
    const first = window.document.getElementById(fieldElementId(editor.model.fields[0]?.uid ?? '', editor))
    setTimeout(() => giveFocusBack(first), 0)
  }
}

interface MergedNoticeProps extends MergedChanges {
  onClose: () => void
}

/** A notice that fields were changed by another user or in another window, and have been updated here. */
export function MergedNotice({ fields, authors, since, onClose }: MergedNoticeProps) {
  const t = useTranslations('documents.editor')
  const conflict = useTranslations('documents.conflict')
  const format = useFormatter()
  const account = useAccount()
  const { place } = useEditor()
  const id = useDocument()?.id
  const nameOf = useFieldName()
  const loaded = useQuery({
    ...changeAuthorsQuery(place, id ?? '', since, fields),
    enabled: id !== undefined && authors === undefined,
  })
  if (authors === undefined && loaded.isLoading) return null
  const known = authors ?? loaded.data ?? []
  const names = (known.length > 0 ? known : [null]).map((author) =>
    author && author._id === account?._id
      ? t('mergedSelf')
      : author?.name
        ? conflict('person', { name: author.name })
        : conflict('somebody'),
  )
  const isOwn = known.length > 0 && known.every((author) => author?._id === account?._id)
  const changed = format.list(fields.map(nameOf))
  return (
    <Notice onClose={onClose}>
      {isOwn
        ? t('mergedOwn', { fields: changed })
        : t('merged', { names: format.list([...new Set(names)]), fields: changed })}
    </Notice>
  )
}

function useFieldName(): (uid: string) => string {
  const { model } = useEditor()
  return (uid) => model.fields.find((field) => field.uid === uid)?.name ?? uid
}
