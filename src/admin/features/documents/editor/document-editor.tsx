import { Alert, Button, Group, Text } from '@mantine/core'
import { IconHistory, IconLock } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { adminFieldType } from '#admin/fields/index.ts'
import { ApiError } from '#admin/lib/api.ts'
import { errorText, isOffline } from '#admin/lib/errors.ts'
import { giveFocusBack } from '#admin/lib/focus-back.ts'
import { useAccount } from '#admin/lib/session.ts'
import { useShortcut } from '#admin/lib/shortcuts.ts'
import { toast } from '#admin/lib/toast.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import { documentsChanged, type ModelPlace } from '../documents.queries.ts'
import { useDocumentRights } from '../use-document-rights.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DocumentSaver, type SaveOutcome, type SaveType } from './document-saver.ts'
import { DocumentStore } from './document-store.ts'
import classes from './editor.module.css'
import {
  EditorContext,
  type EditorContextValue,
  useDocument,
  useEditor,
  useSaveStatus,
} from './editor-context.ts'
import { EditorHeader } from './editor-header.tsx'
import { FieldEditor } from './field-editor.tsx'
import { IssueSummary } from './issue-summary.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { DeletedNotice, Notice } from './notices.tsx'
import { SidePane } from './side-pane.tsx'
import { useDocumentActions } from './use-document-actions.tsx'
import { useStuckHeader } from './use-stuck-header.ts'
import { useUnsavedCopy } from './use-unsaved-copy.ts'
import { defaultValues } from './values.ts'

interface DocumentEditorProps {
  model: Model
  place: ModelPlace
  /** As the server knows it; newer states may follow. Null: a new one. */
  document: Document | null
  /** The server no longer has it. */
  isGone: boolean
  /** The new document was saved and has an `_id`; called before its address is gone to. */
  onCreated: (id: string) => void
}

/** The editor of one document. What is typed lives in the store; this only lays it out. */
export function DocumentEditor({ model, place, document, isGone, onCreated }: DocumentEditorProps) {
  const rightsOf = useDocumentRights(place)
  // The model as it was when editing began: a change of it must not pull fields away from under somebody's hands.
  const [{ store, saver, startModel }] = useState(() => {
    const made = new DocumentStore(model, document ?? { defaults: defaultValues(model) })
    return { store: made, saver: new DocumentSaver(model, place, made), startModel: model }
  })
  const readOnly = !rightsOf(store.document).edit
  const { p, a, m } = place
  const context = useMemo<EditorContextValue>(
    () => ({ model: startModel, place: { p, a, m }, store, saver, readOnly }),
    [startModel, p, a, m, store, saver, readOnly],
  )
  return (
    <EditorContext value={context}>
      <EditorBody document={document} isGone={isGone} onCreated={onCreated} />
    </EditorContext>
  )
}

function EditorBody({ document, isGone, onCreated }: Omit<DocumentEditorProps, 'model' | 'place'>) {
  const t = useTranslations('documents.editor')
  const conflictTexts = useTranslations('documents.conflict')
  const format = useFormatter()
  const editor = useEditor()
  const { model, place, store, saver, readOnly } = editor
  const navigate = useNavigate()
  const account = useAccount()
  const known = useDocument()
  const { conflict, phase } = useSaveStatus()
  const rights = useDocumentRights(place)(known)
  const copy = useUnsavedCopy(editor)
  const [taken, setTaken] = useState<string[]>([])
  const [deciding, setDeciding] = useState(false)
  /** Saving or publishing was refused: now the broken fields are listed. */
  const [refused, setRefused] = useState(false)
  const summary = useRef<HTMLDivElement>(null)
  const page = useRef<HTMLDivElement>(null)
  useStuckHeader(page)
  const nameOf = (uid: string) => model.fields.find((field) => field.uid === uid)?.name ?? uid

  // The rules are needed at the latest when the connection is gone.
  useEffect(() => {
    import('./validation.ts').catch(() => undefined)
  }, [])

  // Who asks for a new document wants to write.
  useEffect(() => {
    const first = model.fields[0]
    if (!store.document && first && adminFieldType(first).line)
      window.document.getElementById(`field-${first.uid}`)?.focus()
  }, [model, store])

  // A newer state came from the server, for example when the window was looked at again.
  useEffect(() => {
    if (!document || document._id !== store.document?.id) return
    if (document._sys.version <= store.document.sys.version) return
    const changed = store.refresh(document)
    if (changed.length > 0) setTaken(changed)
  }, [document, store])

  // It was looked for again and not found.
  useEffect(() => {
    if (isGone) saver.markDeleted()
  }, [isGone, saver])

  async function save(type: SaveType): Promise<boolean> {
    return told(await saver.save(type), type)
  }

  /** Says how a save went; true when all went well. */
  async function told(outcome: SaveOutcome, type: SaveType): Promise<boolean> {
    switch (outcome.kind) {
      case 'saved':
        setRefused(false)
        if (outcome.taken.length > 0) setTaken(outcome.taken)
        if (type === 'PUBLISH') toast.success(t('published'))
        if (outcome.created) {
          onCreated(outcome.document._id)
          documentsChanged(place, outcome.document)
          await navigate({
            to: '/$p/$a/$m/$id',
            params: { ...place, id: outcome.document._id },
            replace: true,
            ignoreBlocker: true,
          })
        } else documentsChanged(place, outcome.document)
        return true
      case 'invalid': {
        setRefused(true)
        toast.error(type === 'PUBLISH' ? t('cannotPublish') : t('cannotSave'))
        requestAnimationFrame(() => {
          summary.current?.scrollIntoView({ block: 'center' })
          summary.current?.focus({ preventScroll: true })
        })
        return false
      }
      case 'conflict':
        setDeciding(true)
        return false
      case 'deleted':
        toast.error(t('deletedWhileEditing'))
        window.scrollTo({ top: 0 })
        return false
      case 'failed':
        toast.error(failureText(outcome.error))
        return false
    }
  }

  async function saveAsNew() {
    await told(await saver.saveAsNew(), 'SAVE')
  }

  /** Why a save failed, and where the text is now. */
  function failureText(error: unknown): string {
    if (isOffline(error)) return t('offline')
    if (error instanceof ApiError && error.code === 'Unauthorized') return t('signedOut')
    return errorText(error)
  }

  // Whatever was asked for before: nothing is published behind somebody's back.
  useReconnect(phase === 'offline', () => {
    void saver.save('SAVE').then((outcome) => {
      if (outcome.kind !== 'failed') void told(outcome, 'SAVE')
    })
  })

  const actions = useDocumentActions({
    save,
    decide: () => setDeciding(true),
    forget: copy.forget,
  })

  const mayWrite = rights.edit && !readOnly
  useShortcut('mod+s', t('shortcutSave'), () => {
    if (mayWrite && (store.hasUnsaved() || !store.document)) actions.save()
  })
  useShortcut('mod+enter', t('shortcutPublish'), () => {
    if (rights.publish && (store.hasUnsaved() || known?.sys.status !== 'published')) actions.publish()
  })

  /** The question goes away with its buttons: the focus goes to the first field. */
  function decideOnCopy(decide: () => void) {
    decide()
    const first = window.document.getElementById(`field-${model.fields[0]?.uid}`)
    setTimeout(() => giveFocusBack(first), 0)
  }

  return (
    <div ref={page} className={classes.page}>
      <EditorHeader rights={rights} actions={actions} />
      <div className={classes.panes}>
        <div className={classes.main}>
          {phase === 'deleted' && known && (
            <DeletedNotice mayRestore={rights.delete} saveAsNew={() => void saveAsNew()} />
          )}
          {copy.resumed && <Notice onClose={copy.closeResumed}>{t('resumed')}</Notice>}
          {copy.found && (
            <Alert
              color="blue"
              variant="light"
              icon={<IconHistory size={18} />}
              title={t('restoreTitle')}
              mb="lg"
            >
              <Text size="sm" mb="xs">
                {t('restoreText', {
                  time: format.dateTime(new Date(copy.found.at), { dateStyle: 'medium', timeStyle: 'short' }),
                  fields: format.list(Object.keys(copy.found.values).map(nameOf)),
                })}
              </Text>
              <Group gap="xs">
                <Button size="xs" onClick={() => decideOnCopy(copy.restore)}>
                  {t('restore')}
                </Button>
                <Button size="xs" variant="default" onClick={() => decideOnCopy(copy.dismiss)}>
                  {t('dismiss')}
                </Button>
              </Group>
            </Alert>
          )}
          {readOnly && (
            <Alert color="gray" variant="light" icon={<IconLock size={18} />} mb="lg">
              {known?.sys.status === 'draft' ? t('readOnly') : t('readOnlyPublished')}
            </Alert>
          )}
          {taken.length > 0 && (
            <Notice onClose={() => setTaken([])}>
              {known?.sys.updatedBy?._id === account?._id
                ? t('takenOwn', { fields: format.list(taken.map(nameOf)) })
                : t('taken', {
                    name: known?.sys.updatedBy?.name
                      ? conflictTexts('person', { name: known.sys.updatedBy.name })
                      : conflictTexts('somebody'),
                    fields: format.list(taken.map(nameOf)),
                  })}
            </Notice>
          )}
          {refused && <IssueSummary ref={summary} />}
          {model.fields.length === 0 ? (
            <Text c="dimmed">{t('noFields')}</Text>
          ) : (
            model.fields.map((field) => <FieldEditor key={field._id} field={field} />)
          )}
        </div>
        <SidePane />
      </div>
      {deciding && conflict && (
        <ConflictDialog
          conflict={conflict}
          onClose={() => setDeciding(false)}
          onDecide={(choices) => {
            setDeciding(false)
            saver.resolve(choices)
            if (store.hasUnsaved() || conflict.type === 'PUBLISH') void save(conflict.type)
            else documentsChanged(place)
          }}
        />
      )}
      <LeaveGuard save={() => save('SAVE')} discard={copy.forget} />
    </div>
  )
}
