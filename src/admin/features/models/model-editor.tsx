import { Alert, Badge, Button, Title } from '@mantine/core'
import { IconForms, IconPlus } from '@tabler/icons-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { focusInvalid } from '#admin/lib/focus-invalid.ts'
import { toast } from '#admin/lib/toast.ts'
import { EmptyState } from '#admin/ui/states.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { changedKeys } from './changes.ts'
import { ConsequencesDialog } from './consequences-dialog.tsx'
import type { Edited, FieldDraft, ModelDraft } from './draft.ts'
import { type Chosen, copyToAdd, fieldToAdd, isFull, renamed, uidFor } from './field-changes.ts'
import { FieldDrawer } from './field-drawer.tsx'
import { FieldList } from './field-list.tsx'
import { FieldPalette } from './field-palette.tsx'
import classes from './model-editor.module.css'
import { useProblemText } from './problem-text.ts'
import { ConflictDialog } from './save-dialogs.tsx'
import { Toolbar } from './toolbar.tsx'
import type { ModelEditorWork } from './use-editor-work.ts'
import { useTouched } from './use-touched.ts'

interface ModelEditorProps {
  /** The saved model or custom type. A newer state may arrive during editing. */
  model: Edited
  models: readonly Model[]
  customTypes: readonly CustomType[]
  place: { p: string; a: string }
  readOnly: boolean
  work: ModelEditorWork
  /** Whether documents may contain values that a change would remove. */
  hasDocuments: boolean
  /** Notices above the fields. */
  notices?: ReactNode
  /** Renders the panel about the model or custom type itself. */
  panel: (props: PanelProps) => ReactNode
}

/** The props of the panel next to the fields. */
export interface PanelProps {
  draft: ModelDraft
  savedUid: string
  readOnly: boolean
  problem: (property: string) => string | null
  onEdit: (patch: Partial<Pick<ModelDraft, 'name' | 'uid' | 'description'>>) => void
  onBlur: (property: string) => void
  onTitle: (key: string | null) => void
}

/**
 * The editor of a model or custom type: its fields, their settings and its own settings. Nothing is stored before the
 * user saves.
 */
export function ModelEditor(props: ModelEditorProps) {
  const { model, models, customTypes, place, readOnly, work } = props
  const t = useTranslations('models')
  const { editing, state, issues, dirty, pending } = work
  const closePending = () => editing.closePending()
  const { draft, base } = state
  const { touch, touchField, visibleIssue, broken } = useTouched(issues, work.showAll)
  const problemText = useProblemText()
  const [openKey, setOpenKey] = useState<string | null>(null)
  const [addedKey, setAddedKey] = useState<string | null>(null)
  const [choosing, setChoosing] = useState(false)

  const open = draft.fields.find((field) => field.key === openKey) ?? null
  const saved = base.fields.find((field) => field.key === openKey) ?? null
  const full = isFull(draft)
  const changed = useMemo(() => changedKeys(base, draft), [base, draft])

  function show(added: FieldDraft) {
    setAddedKey(added.key)
    setOpenKey(added.key)
  }

  function add(chosen: Chosen) {
    const others = models.filter((other) => other._id !== model._id)
    const field = fieldToAdd(draft, chosen, others)
    editing.dispatch({ type: 'add', field })
    setChoosing(false)
    show(field)
  }

  function duplicate(key: string) {
    const copy = copyToAdd(draft, key, (name) => t('fields.copyName', { name }))
    if (!copy) return
    editing.dispatch({ type: 'add', ...copy })
    show(copy.field)
  }

  function remove(key: string) {
    const index = draft.fields.findIndex((field) => field.key === key)
    const field = draft.fields[index]
    if (!field) return
    const wasTitle = draft.titleField === key
    if (openKey === key) setOpenKey(null)
    editing.dispatch({ type: 'remove', key })
    toast.success(t('fields.removed', { name: field.name || t('fields.unnamed') }), {
      label: t('editor.undo'),
      run: () => {
        editing.dispatch({ type: 'add', field, at: index })
        if (wasTitle) editing.dispatch({ type: 'setTitle', key })
      },
    })
  }

  function close() {
    if (openKey === null) return
    editing.dispatch({ type: 'seal' })
    touchField(openKey)
    setOpenKey(null)
    const row = `[data-field-key="${CSS.escape(openKey)}"]`
    setTimeout(() => document.querySelector<HTMLElement>(row)?.focus())
  }

  function showFirstIssue() {
    const first = issues[0]
    if (first?.key) {
      setOpenKey(first.key)
      focusInvalid('[role="dialog"]')
    } else focusInvalid(`.${classes.side}`)
  }

  const problemAt = (key: string | null, of: FieldDraft | typeof draft) => (property: string) => {
    // Issues of a uid are shown while it is typed, unless the uid is empty.
    const issue =
      property === 'uid' && of.uid !== ''
        ? issues.find((one) => one.key === key && one.property === 'uid')
        : visibleIssue(key, property)
    return issue ? problemText(issue, of) : null
  }
  const placeless = issues.filter(({ key, property }) => key === null && !ownProperties.has(property))

  return (
    <>
      {!readOnly && <Toolbar work={work} />}
      <div className={classes.notices}>
        {props.notices}
        {readOnly && <Alert variant="light">{t('readOnly.edit')}</Alert>}
        {work.isNewer && dirty && (
          <Alert variant="light" color="yellow" role="status">
            <span className={classes.notice}>{t('editor.newer')}</span>
            <Button variant="default" size="compact-sm" onClick={() => editing.load(model)}>
              {t('editor.newerLoad')}
            </Button>
          </Alert>
        )}
        {work.showAll && issues.length > 0 && (
          <Alert variant="light" color="red" role="alert">
            <span className={classes.notice}>{t('editor.invalid', { count: issues.length })}</span>
            {placeless.map((issue) => (
              <div key={issue.property}>
                {t('problem.elsewhere', { path: issue.property, text: problemText(issue, draft) })}
              </div>
            ))}
            {placeless.length < issues.length && (
              <Button variant="default" size="compact-sm" onClick={showFirstIssue}>
                {t('editor.showFirst')}
              </Button>
            )}
          </Alert>
        )}
      </div>

      <div className={classes.layout}>
        <section aria-labelledby="model-fields">
          <div className={classes.heading}>
            <Title order={2} id="model-fields">
              {t('fields.heading')}
            </Title>
            <Badge variant="light" color="gray" c="var(--mantine-color-text)">
              {t('fields.count', { count: draft.fields.length })}
            </Badge>
          </div>
          {draft.fields.length === 0 ? (
            <EmptyState
              icon={<IconForms size={36} stroke={1.4} aria-hidden="true" />}
              title={t('fields.emptyTitle')}
              text={readOnly ? undefined : t('fields.emptyText')}
            />
          ) : (
            <FieldList
              fields={draft.fields}
              titleField={draft.titleField ?? null}
              broken={broken}
              changed={changed}
              openKey={openKey}
              readOnly={readOnly}
              full={full}
              onOpen={setOpenKey}
              onMove={(from, to) => editing.dispatch({ type: 'move', from, to })}
              onRenameTab={(from, to) => editing.dispatch({ type: 'renameTab', from, to })}
              onDuplicate={duplicate}
              onRemove={remove}
            />
          )}
          {!readOnly && (
            <Button
              className={classes.add ?? ''}
              variant="light"
              leftSection={<IconPlus size={16} />}
              disabled={full}
              onClick={() => setChoosing(true)}
            >
              {full ? t('fields.limit') : t('fields.add')}
            </Button>
          )}
        </section>

        <div className={classes.side}>
          {props.panel({
            draft,
            savedUid: base.uid,
            readOnly,
            problem: problemAt(null, draft),
            onEdit: (patch) => editing.dispatch({ type: 'edit', patch }),
            onBlur: (property) => {
              editing.dispatch({ type: 'seal' })
              touch(null, property)
            },
            onTitle: (key) => editing.dispatch({ type: 'setTitle', key }),
          })}
        </div>
      </div>

      <FieldPalette
        opened={choosing}
        onClose={() => setChoosing(false)}
        onChoose={add}
        customTypes={customTypes}
        place={place}
      />
      <FieldDrawer
        field={open}
        fields={draft.fields}
        hasTabs={draft.titleField !== undefined}
        saved={saved}
        isNew={open !== null && open.key === addedKey}
        hasDocuments={props.hasDocuments}
        readOnly={readOnly}
        full={full}
        place={place}
        models={models.map((other) =>
          other._id === model._id
            ? { uid: base.uid, label: t('settings.thisModel', { name: draft.name }) }
            : { uid: other.uid, label: other.name },
        )}
        siblings={draft.fields.flatMap(({ _id, key, type, name }) =>
          _id && key !== openKey ? [{ _id, type, label: name }] : [],
        )}
        customTypes={customTypes}
        repeated={open?.unique ? work.repeated.filter(({ field }) => isIn(field, open.uid)) : []}
        problem={open ? problemAt(open.key, open) : () => null}
        onClose={close}
        onEdit={(patch) => open && editing.dispatch({ type: 'editField', key: open.key, patch })}
        onChangeName={(name) =>
          open && editing.dispatch({ type: 'editField', key: open.key, patch: renamed(draft, open, name) })
        }
        onSuggestUid={() => {
          if (!open) return
          const uid = uidFor(draft, open, saved)
          editing.dispatch({ type: 'editField', key: open.key, patch: { uid } })
        }}
        onChangeType={(fieldType) =>
          open && editing.dispatch({ type: 'changeType', key: open.key, fieldType })
        }
        onBlur={(property) => {
          editing.dispatch({ type: 'seal' })
          if (open) touch(open.key, property)
        }}
        onDuplicate={() => open && duplicate(open.key)}
        onRemove={() => open && remove(open.key)}
      />
      {pending?.kind === 'consequences' && (
        <ConsequencesDialog
          consequences={pending.consequences}
          base={base}
          draft={draft}
          models={models}
          isKept
          place={place}
          onCancel={closePending}
          onAccept={() => void editing.save({ accepted: true })}
        />
      )}
      {pending?.kind === 'conflict' && (
        <ConflictDialog
          model={pending.model}
          base={base}
          onCancel={closePending}
          onReload={() => editing.load(pending.model)}
          onOverwrite={() => void editing.overwrite(pending.model)}
        />
      )}
      <UnsavedGuard when={dirty} />
    </>
  )
}

/** Returns whether a path (`hero.title`, `parts[hero].data.title`) contains the field with this uid. */
const isIn = (path: string, uid: string) => path.split(/[.[\]]/).includes(uid)

/** The model's own settings that have an input. The input shows the issues of its setting. */
const ownProperties = new Set(['name', 'uid', 'description', 'titleField'])
