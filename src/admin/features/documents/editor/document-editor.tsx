import { ActionIcon, Alert, Button, Group, Text, Title, Tooltip } from '@mantine/core'
import { IconArrowLeft, IconHistory, IconInfoCircle, IconLock } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { giveFocusBack } from '#admin/lib/focus-back.ts'
import { useShortcut } from '#admin/lib/shortcuts.ts'
import { toast } from '#admin/lib/toast.ts'
import { useReconnect } from '#admin/lib/use-reconnect.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { DocumentStatusChip } from '#admin/ui/document-status.tsx'
import { useDocumentTitle } from '#admin/ui/page.tsx'
import { SaveState, type SaveStateValue } from '#admin/ui/save-state.tsx'
import type { Document } from '#shared/contract/documents.ts'
import type { Model } from '#shared/contract/models.ts'
import { documentsChanged, type ModelPlace } from '../documents.queries.ts'
import { titleIn } from '../list/list-query.ts'
import { undoDelete } from '../trash/restore.ts'
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
  useHasUnsaved,
  useSaveStatus,
  useValue,
} from './editor-context.ts'
import { FieldEditor } from './field-editor.tsx'
import { IssueSummary } from './issue-summary.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { type DocumentActions, PublishButton } from './publish-button.tsx'
import { SidePane } from './side-pane.tsx'
import { useUnsavedCopy } from './use-unsaved-copy.ts'
import { defaultValues } from './values.ts'

interface DocumentEditorProps {
  model: Model
  place: ModelPlace
  /** As the server knows it; newer states may follow. Null: a new one. */
  document: Document | null
  /** The new document was saved and has an `_id`; called before its address is gone to. */
  onCreated: (id: string) => void
}

/** The editor of one document. What is typed lives in the store; this only lays it out. */
export function DocumentEditor({ model, place, document, onCreated }: DocumentEditorProps) {
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
      <EditorBody document={document} onCreated={onCreated} />
    </EditorContext>
  )
}

function EditorBody({ document, onCreated }: Pick<DocumentEditorProps, 'document' | 'onCreated'>) {
  const t = useTranslations('documents.editor')
  const conflictTexts = useTranslations('documents.conflict')
  const format = useFormatter()
  const editor = useEditor()
  const { model, place, store, saver, readOnly } = editor
  const navigate = useNavigate()
  const known = useDocument()
  const { conflict, phase } = useSaveStatus()
  const rights = useDocumentRights(place)(known)
  const copy = useUnsavedCopy(editor)
  const [taken, setTaken] = useState<string[]>([])
  const [deciding, setDeciding] = useState(false)
  /** Saving or publishing was refused: now the broken fields are listed. */
  const [refused, setRefused] = useState(false)
  const summary = useRef<HTMLDivElement>(null)
  const nameOf = (uid: string) => model.fields.find((field) => field.uid === uid)?.name ?? uid

  // The rules are needed at the latest when the connection is gone.
  useEffect(() => {
    import('./validation.ts').catch(() => undefined)
  }, [])

  // Who asks for a new document wants to write.
  useEffect(() => {
    const first = model.fields[0]
    if (!store.document && first?.type === 'TEXT')
      window.document.getElementById(`field-${first.uid}`)?.focus()
  }, [model, store])

  // A newer state came from the server, for example when the window was looked at again.
  useEffect(() => {
    if (!document || !store.document || document._sys.version <= store.document.sys.version) return
    const changed = store.refresh(document)
    if (changed.length > 0) setTaken(changed)
  }, [document, store])

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
      case 'failed':
        toast.error(errorText(outcome.error))
        return false
    }
  }

  // Whatever was asked for before: nothing is published behind somebody's back.
  useReconnect(phase === 'offline', () => {
    void saver.save('SAVE').then((outcome) => {
      if (outcome.kind !== 'failed') void told(outcome, 'SAVE')
    })
  })

  const actions: DocumentActions = {
    save: () => {
      if (conflict) setDeciding(true)
      else void save('SAVE')
    },
    publish: () => {
      if (conflict) setDeciding(true)
      else void save('PUBLISH')
    },
    unpublish: () => {
      if (known) confirmUnpublish(known.id)
    },
    duplicate: () => {
      if (known) void duplicate(known.id)
    },
    remove: () => {
      if (known) void confirmRemoval(known.id)
    },
  }

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

  function confirmUnpublish(id: string) {
    confirm({
      title: t('unpublishTitle'),
      message: t('unpublishText'),
      action: t('unpublishAction'),
      run: async () => {
        const { results } = await api('POST /api/project/{p}/app/{a}/model/{m}/doc/bulkUnpublish', {
          params: { ...place },
          body: { documentIds: [id] },
        })
        if (!results[0]?.success) throw new Error(results[0]?.code)
        const answer = await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
          params: { ...place, id },
        })
        store.refresh(answer.document)
        documentsChanged(place, answer.document)
        toast.success(t('unpublished'))
      },
    })
  }

  async function duplicate(id: string) {
    try {
      const answer = await api('PUT /api/project/{p}/app/{a}/model/{m}/doc/{id}', {
        params: { ...place, id },
        body: { doc: {}, type: 'DUPLICATE' },
      })
      documentsChanged(place, answer.document)
      await navigate({ to: '/$p/$a/$m/$id', params: { ...place, id: answer.document._id } })
      toast.success(t('duplicated'))
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  async function confirmRemoval(id: string) {
    // Who refers to it is worth knowing, but not worth waiting for in vain.
    const references = await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/references', {
      params: { ...place, id },
    }).catch(() => null)
    const titles = references?.references.slice(0, 3).map((one) => one.title || one._id) ?? []
    confirm({
      title: t('removeTitle'),
      message: (
        <>
          {t('removeText')}
          {references && references.total > 0 && (
            <p>{t('removeReferences', { total: references.total, titles: format.list(titles) })}</p>
          )}
        </>
      ),
      action: t('removeAction'),
      danger: true,
      run: async () => {
        await api('DELETE /api/project/{p}/app/{a}/model/{m}/doc/{id}', { params: { ...place, id } })
        copy.forget()
        // First away: what is asked for again must not be the document that is gone.
        await navigate({ to: '/$p/$a/$m', params: place, ignoreBlocker: true })
        documentsChanged(place)
        const published = known !== null && known.sys.status !== 'draft'
        toast.success(
          t('removed', { title: titleIn(model, store.all()) || t('untitled') }),
          undoDelete(place, [{ _id: id, published }]),
        )
      },
    })
  }

  return (
    <div className={classes.page}>
      <EditorHeader rights={rights} actions={actions} />
      <div className={classes.panes}>
        <div className={classes.main}>
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
            <Alert
              color="blue"
              variant="light"
              icon={<IconInfoCircle size={18} />}
              mb="lg"
              role="status"
              withCloseButton
              closeButtonLabel={t('closeNotice')}
              onClose={() => setTaken([])}
            >
              {t('taken', {
                name: known?.sys.updatedBy?.name
                  ? conflictTexts('person', { name: known.sys.updatedBy.name })
                  : conflictTexts('somebody'),
                fields: format.list(taken.map(nameOf)),
              })}
            </Alert>
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

function EditorHeader({
  rights,
  actions,
}: {
  rights: ReturnType<ReturnType<typeof useDocumentRights>>
  actions: DocumentActions
}) {
  const t = useTranslations('documents.editor')
  const { model, place } = useEditor()
  const document = useDocument()
  const titleField = model.fields.find((field) => field._id === model.titleField)
  const value = useValue(titleField?.uid ?? '')
  const title = String((Array.isArray(value) ? value[0] : value) ?? '').trim()
  const shown = title || (document ? t('untitled') : t('newTitle', { model: model.name }))
  useDocumentTitle(shown)

  return (
    <header className={classes.header}>
      <Tooltip label={t('toList')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('toList')}
          renderRoot={(props) => <Link {...props} to="/$p/$a/$m" params={place} />}
        >
          <IconArrowLeft size={18} />
        </ActionIcon>
      </Tooltip>
      <div className={classes.headerTitle}>
        <Title order={1} size="h3" lineClamp={1}>
          {shown}
        </Title>
        {document && <DocumentStatusChip status={document.sys.status} />}
      </div>
      <Saved />
      <PublishButton rights={rights} actions={actions} />
    </header>
  )
}

/** The words on whether the work is safe. */
function Saved() {
  const unsaved = useHasUnsaved()
  const document = useDocument()
  const { phase, savedAt } = useSaveStatus()
  const value: SaveStateValue =
    phase !== 'idle' && (phase === 'saving' || unsaved)
      ? { state: phase }
      : unsaved
        ? { state: 'unsaved' }
        : document && savedAt
          ? { state: 'saved', at: savedAt }
          : { state: 'new' }
  return <SaveState value={value} />
}
