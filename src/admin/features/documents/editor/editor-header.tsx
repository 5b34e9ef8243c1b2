import { ActionIcon, Title, Tooltip } from '@mantine/core'
import { IconArrowLeft, IconExternalLink, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import { useDocumentTitle } from '#admin/ui/page.tsx'
import { SaveState, type SaveStateValue } from '#admin/ui/save-state.tsx'
import { readSeenList } from '../list/seen-list.ts'
import type { DocumentRights } from '../use-document-rights.ts'
import classes from './editor.module.css'
import {
  type OverPage,
  useDocument,
  useEditor,
  useHasUnsaved,
  useSaveStatus,
  useValue,
} from './editor-context.ts'
import { Neighbours } from './neighbours.tsx'
import { type DocumentActions, PublishButton } from './publish-button.tsx'

interface EditorHeaderProps {
  rights: DocumentRights
  actions: DocumentActions
}

/** The sticky header: a link back to the list as the user left it, the title, the save state and the actions. */
export function EditorHeader({ rights, actions }: EditorHeaderProps) {
  const t = useTranslations('documents.editor')
  const { place } = useEditor()
  const document = useDocument()
  const shown = useShownTitle()
  useDocumentTitle(shown)

  return (
    <header className={classes.header}>
      <Tooltip label={t('toList')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('toList')}
          renderRoot={(props) => (
            <Link {...props} to="/$p/$a/$m" params={place} search={readSeenList(place)?.search ?? {}} />
          )}
        >
          <IconArrowLeft size={18} />
        </ActionIcon>
      </Tooltip>
      <TitleAndStatus title={shown} order={1} />
      <Saved />
      {document && <Neighbours id={document.id} />}
      <PublishButton rights={rights} actions={actions} />
    </header>
  )
}

/** The header of an editor in a window, with a close button instead of the link back. */
export function WindowHeader({ rights, actions, over }: EditorHeaderProps & { over: OverPage }) {
  const t = useTranslations('documents.window')
  const close = useTranslations('common')('close')
  const { place } = useEditor()
  const document = useDocument()
  const shown = useShownTitle()
  return (
    <header className={classes.header}>
      <Tooltip label={close}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={close}
          onClick={() => over.askToClose.current()}
        >
          <IconX size={18} />
        </ActionIcon>
      </Tooltip>
      <TitleAndStatus title={shown} order={2} />
      <Saved />
      {document && (
        <Tooltip label={t('ownPage')}>
          <ActionIcon
            component="a"
            href={['', place.p, place.a, place.m, document.id].map(encodeURIComponent).join('/')}
            target="_blank"
            rel="noopener"
            variant="subtle"
            color="gray"
            size={36}
            aria-label={t('ownPage')}
          >
            <IconExternalLink size={18} />
          </ActionIcon>
        </Tooltip>
      )}
      <PublishButton rights={rights} actions={actions} />
    </header>
  )
}

function useShownTitle(): string {
  const t = useTranslations('documents.editor')
  const { model } = useEditor()
  const document = useDocument()
  const titleField = model.fields.find((field) => field._id === model.titleField)
  const value = useValue(titleField?.uid ?? '')
  const title = String((Array.isArray(value) ? value[0] : value) ?? '').trim()
  return title || (document ? t('untitled') : t('newTitle', { model: model.name }))
}

function TitleAndStatus({ title, order }: { title: string; order: 1 | 2 }) {
  const document = useDocument()
  const { phase } = useSaveStatus()
  return (
    <div className={classes.headerTitle}>
      <Title order={order} size="h3" lineClamp={1}>
        {title}
      </Title>
      {document && <DocumentStatusChip status={phase === 'deleted' ? 'deleted' : document.sys.status} />}
    </div>
  )
}

function Saved() {
  const unsaved = useHasUnsaved()
  const document = useDocument()
  const { phase, savedAt } = useSaveStatus()
  const value: SaveStateValue =
    phase !== 'idle' && (phase === 'saving' || phase === 'deleted' || unsaved)
      ? { state: phase === 'removed' || phase === 'modelGone' ? 'failed' : phase }
      : unsaved
        ? { state: 'unsaved' }
        : document && savedAt
          ? { state: 'saved', at: savedAt }
          : { state: 'new' }
  return <SaveState value={value} />
}
