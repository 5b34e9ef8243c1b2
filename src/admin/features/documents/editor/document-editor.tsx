import { Alert, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { Store, useStore } from '#admin/base/store.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import { type SiblingValues, SiblingValuesContext } from '#admin/fields/sibling-values.ts'
import { finishInputs } from '#admin/fields/unfinished.ts'
import { useShortcut } from '#admin/lib/shortcuts.ts'
import { useAwaited } from '#admin/lib/use-awaited.ts'
import type { Model } from '#shared/contract/models.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { useDocumentRights, useReadOnlyFields } from '../use-document-rights.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DocumentFields } from './document-fields.tsx'
import { DocumentSaver, type SaveType } from './document-saver.ts'
import { DocumentStore } from './document-store.ts'
import classes from './editor.module.css'
import {
  EditorContext,
  type EditorContextValue,
  type OverPage,
  useDocument,
  useEditor,
  useSaveStatus,
} from './editor-context.ts'
import { EditorHeader, WindowHeader } from './editor-header.tsx'
import { fieldElementId } from './field-editor.tsx'
import { CloseGuard, LeaveGuard } from './leave-guard.tsx'
import { CopyNotice, DeletedNotice, Notice, TakenNotice } from './notices.tsx'
import { SidePane } from './side-pane.tsx'
import { useDocumentActions } from './use-document-actions.tsx'
import { type Received, useEditing } from './use-editing.ts'
import { useStuckHeader } from './use-stuck-header.ts'
import { useUnsavedCopy } from './use-unsaved-copy.ts'
import { defaultValues, valueOfDay } from './values.ts'

/** It knows the rules of all types, which are not needed before something is wrong. */
const IssueSummary = lazy(async () => ({
  default: (await loadScript(() => import('./issue-summary.tsx'))).IssueSummary,
}))

const RemovedNotice = lazy(async () => ({
  default: (await loadScript(() => import('./removed-notice.tsx'))).RemovedNotice,
}))

interface DocumentEditorProps extends Received {
  model: Model
  place: ModelPlace
  /** A new one is for this day in the field of that uid, as its address says. */
  begin?: { field: unknown; day: unknown }
  /** It is open over another document. */
  over?: OverPage
}

/** The editor of one document. What is typed lives in the store; this only lays it out. */
export function DocumentEditor(props: DocumentEditorProps) {
  const { model, place, document, isGone, onCreated } = props
  const rightsOf = useDocumentRights(place)
  // The model as it was when editing began: a change of it must not pull fields away from under somebody's hands.
  const [{ store, saver, tab, startModel }] = useState(() => {
    const made = new DocumentStore(
      model,
      document ?? { defaults: { ...defaultValues(model), ...valueOfDay(model, props.begin) } },
    )
    const saves = new DocumentSaver(model, place, made)
    return { store: made, saver: saves, tab: new Store<string | null>(null), startModel: model }
  })
  const readOnly = !rightsOf(store.document).edit
  const readOnlyFields = useReadOnlyFields(place, model._id)
  const { p, a, m } = place
  const [over] = useState(props.over ?? null)
  const context = useMemo<EditorContextValue>(
    () => ({ model: startModel, place: { p, a, m }, store, saver, tab, readOnly, readOnlyFields, over }),
    [startModel, p, a, m, store, saver, tab, readOnly, readOnlyFields, over],
  )
  const isNew = document === null
  const siblings = useMemo<SiblingValues>(() => {
    const uidOf = (id: string) => startModel.fields.find(({ _id }) => _id === id)?.uid ?? ''
    return {
      isNew,
      get: (id) => store.get(uidOf(id)),
      subscribe: (id, listener) => store.subscribe(`value:${uidOf(id)}`, listener),
    }
  }, [isNew, startModel, store])
  return (
    <EditorContext value={context}>
      <SiblingValuesContext value={siblings}>
        <EditorBody document={document} isGone={isGone} onCreated={onCreated} />
      </SiblingValuesContext>
    </EditorContext>
  )
}

function EditorBody({ document, isGone, onCreated }: Received) {
  const t = useTranslations('documents.editor')
  const editor = useEditor()
  const { model, place, store, readOnly, over } = editor
  const known = useDocument()
  const { conflict, phase } = useSaveStatus()
  const rights = useDocumentRights(place)(known)
  const copy = useUnsavedCopy(editor)
  const editing = useEditing({ document, isGone, onCreated })
  const { taken, deciding, refusals } = useStore(editing.status)
  const page = useRef<HTMLDivElement>(null)
  useStuckHeader(page)

  // The rules are needed at the latest when the connection is gone.
  useEffect(() => {
    import('./validation.ts').catch(() => undefined)
  }, [])

  // Who asks for a new document wants to write.
  useEffect(() => {
    const first = model.fields[0]
    if (store.document || !first || !adminFieldType(first).line) return
    const focus = () => window.document.getElementById(fieldElementId(first.uid, { over }))?.focus()
    if (!over) {
      focus()
      return
    }
    // A window takes the focus itself when it opens.
    const timer = setTimeout(focus, 50)
    return () => clearTimeout(timer)
  }, [model, store, over])

  const { ask, isAwaited } = useAwaited()
  async function save(type: SaveType): Promise<boolean> {
    ask()
    await finishInputs()
    const done = await editing.save(type)
    if (done && store.document) over?.onSaved(store.document.id)
    return done
  }
  const actions = useDocumentActions({ save, decide: () => editing.ask(), forget: copy.forget })

  const mayWrite = rights.edit && !readOnly
  useShortcut('mod+s', t('shortcutSave'), () => {
    if (mayWrite && (store.hasUnsaved() || !store.document)) actions.save()
  })
  useShortcut('mod+enter', t('shortcutPublish'), () => {
    if (rights.publish && (store.hasUnsaved() || known?.sys.status !== 'published')) actions.publish()
  })

  return (
    <div ref={page} className={classes.page}>
      {over ? (
        <WindowHeader rights={rights} actions={actions} over={over} />
      ) : (
        <EditorHeader rights={rights} actions={actions} />
      )}
      <div className={classes.panes} data-alone={over !== null || undefined}>
        <div className={classes.main}>
          {phase === 'removed' && (
            <Suspense>
              <RemovedNotice />
            </Suspense>
          )}
          {phase === 'deleted' && known && (
            <DeletedNotice mayRestore={rights.delete} saveAsNew={() => void editing.saveAsNew()} />
          )}
          {copy.resumed && <Notice onClose={copy.closeResumed}>{t('resumed')}</Notice>}
          {copy.found && <CopyNotice copy={copy.found} onRestore={copy.restore} onDismiss={copy.dismiss} />}
          {readOnly && (
            <Alert color="gray" variant="light" icon={<IconLock size={18} />} mb="lg">
              {known?.sys.status === 'draft' ? t('readOnly') : t('readOnlyPublished')}
            </Alert>
          )}
          {taken.length > 0 && <TakenNotice taken={taken} onClose={() => editing.closeTaken()} />}
          {refusals > 0 && (
            <Suspense>
              <IssueSummary refusals={refusals} isAwaited={isAwaited} />
            </Suspense>
          )}
          {model.fields.length === 0 ? <Text c="dimmed">{t('noFields')}</Text> : <DocumentFields />}
        </div>
        {!over && <SidePane />}
      </div>
      {deciding && conflict && (
        <ConflictDialog
          conflict={conflict}
          onClose={() => editing.closeQuestion()}
          onDecide={(choices) => void editing.decide(choices)}
        />
      )}
      <LeaveGuard save={() => save('SAVE')} discard={copy.forget} />
      {over && <CloseGuard over={over} save={() => save('SAVE')} discard={copy.forget} />}
    </div>
  )
}
