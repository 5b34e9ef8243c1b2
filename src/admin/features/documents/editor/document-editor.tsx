import { Alert, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Store, useStore } from '#admin/base/store.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import { type SiblingValues, SiblingValuesContext } from '#admin/fields/sibling-values.ts'
import { finishInputs } from '#admin/fields/unfinished.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
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
import { FormChangedNotice, LeftNotice } from './form-notices.tsx'
import { useJumpFromAddress } from './jump-to.ts'
import { CloseGuard, LeaveGuard } from './leave-guard.tsx'
import { CopyNotice, DeletedNotice, MergedNotice, Notice, ReplacedNotice } from './notices.tsx'
import { SidePane } from './side-pane.tsx'
import { useDocumentActions } from './use-document-actions.tsx'
import { type Received, useEditing } from './use-editing.ts'
import { type CarriedWork, type FormStart, useFormChange } from './use-form-change.ts'
import { useStuckHeader } from './use-stuck-header.ts'
import { useUnsavedCopy } from './use-unsaved-copy.ts'
import { defaultValues, valueOfDay } from './values.ts'

/** Loaded lazily, because it is needed only if there are issues. */
const IssueSummary = lazyPart(async () => (await import('./issue-summary.tsx')).IssueSummary)

const RemovedNotice = lazyPart(async () => (await import('./removed-notice.tsx')).RemovedNotice)

interface DocumentEditorProps extends Received {
  model: Model
  place: ModelPlace
  /** For a new document: the day to set in the field with the uid `field`, from the URL. */
  begin?: { field: unknown; day: unknown }
  /** The path of the field to jump to, from the URL. */
  at?: unknown
  /** Set if the editor is open in a window over another document. */
  over?: OverPage
}

/** The editor of one document. It is mounted again to show the form of a changed model, and keeps all input. */
export function DocumentEditor(props: DocumentEditorProps) {
  const [start, setStart] = useState<FormStart>({ model: props.model, document: props.document })
  const [round, setRound] = useState(0)
  function renew(next: FormStart) {
    setStart(next)
    setRound(round + 1)
  }
  return <DocumentForm key={round} {...props} start={start} renew={renew} />
}

/** One form of the document, with its own store. */
function DocumentForm(props: DocumentEditorProps & { start: FormStart; renew: (next: FormStart) => void }) {
  const { place, document, isGone, onCreated, start, renew } = props
  const { model } = start
  const rightsOf = useDocumentRights(place)
  // `startModel`: the model as of the start of editing. A later change of the model must not remove fields during
  // editing.
  const [{ store, saver, tab, startModel }] = useState(() => {
    const made = new DocumentStore(
      model,
      start.document ?? { defaults: { ...defaultValues(model), ...valueOfDay(model, props.begin) } },
    )
    if (start.carried) made.restore(start.carried.values, start.carried.version)
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
        <EditorBody
          document={document}
          isGone={isGone}
          onCreated={onCreated}
          latest={props.model}
          carried={start.carried}
          renew={renew}
          at={props.at}
        />
      </SiblingValuesContext>
    </EditorContext>
  )
}

interface EditorBodyProps extends Received, Pick<DocumentEditorProps, 'at'> {
  /** The current model. */
  latest: Model
  carried: CarriedWork | undefined
  renew: (next: FormStart) => void
}

function EditorBody({ document, isGone, onCreated, latest, carried, renew, at }: EditorBodyProps) {
  const t = useTranslations('documents.editor')
  const editor = useEditor()
  const { model, place, store, readOnly, over } = editor
  const known = useDocument()
  const { conflict, phase } = useSaveStatus()
  const rights = useDocumentRights(place)(known)
  const copy = useUnsavedCopy(editor, carried)
  const editing = useEditing({ document, isGone, onCreated })
  const { merged, deciding, refusals } = useStore(editing.status)
  const page = useRef<HTMLDivElement>(null)
  useStuckHeader(page)
  const change = useFormChange({ latest, copy, renew, page })
  useJumpFromAddress(at)

  // Preloads the rules, so that they are available if the connection is lost later.
  useEffect(() => {
    import('./validation.ts').catch(() => undefined)
  }, [])

  // A new document starts with the focus in its first field, if the values of that field are plain text.
  useEffect(() => {
    const first = model.fields[0]
    if (store.document || !first || !adminFieldType(first).line) return
    const focus = () => window.document.getElementById(fieldElementId(first.uid, { over }))?.focus()
    if (!over) {
      focus()
      return
    }
    // A window moves the focus itself when it opens, so the focus is set later.
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
  const actions = useDocumentActions({ save, decide: () => editing.ask(), copy })

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
          {(phase === 'removed' || phase === 'modelGone') && (
            <Suspense>
              <RemovedNotice what={phase === 'removed' ? 'person' : 'model'} />
            </Suspense>
          )}
          {phase === 'deleted' && known && (
            <DeletedNotice mayRestore={rights.delete} saveAsNew={() => void editing.saveAsNew()} />
          )}
          {copy.resumed && <Notice onClose={copy.closeResumed}>{t('resumed')}</Notice>}
          {copy.found && <CopyNotice copy={copy.found} onRestore={copy.restore} onDismiss={copy.dismiss} />}
          {copy.replaced && (
            <ReplacedNotice input={copy.replaced} onUndo={copy.undoRestore} onClose={copy.closeReplaced} />
          )}
          {copy.left.length > 0 && <LeftNotice left={copy.left} onClose={copy.dropLeft} />}
          {change.isChanged && !readOnly && <FormChangedNotice onRenew={change.renew} />}
          {readOnly && (
            <Alert color="gray" variant="light" icon={<IconLock size={18} />} mb="lg">
              {known ? t(known.sys.status === 'draft' ? 'readOnly' : 'readOnlyPublished') : t('mayNotCreate')}
            </Alert>
          )}
          {merged && <MergedNotice {...merged} onClose={() => editing.closeMerged()} />}
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
