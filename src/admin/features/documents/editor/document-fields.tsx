import { Tabs, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { memo, useEffect, useMemo, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useStore } from '#admin/base/store.ts'
import { FieldCell } from '#admin/fields/field-cell.tsx'
import grid from '#admin/fields/field-grid.module.css'
import { adminFieldType } from '#admin/fields/index.ts'
import { type FormTab, tabsOf } from '#admin/fields/tabs.ts'
import type { Field } from '#shared/fields/index.ts'
import classes from './document-fields.module.css'
import { type EditorContextValue, useAllIssues, useEditor, useIssues } from './editor-context.ts'
import { FieldEditor } from './field-editor.tsx'
import { useIsShown } from './use-is-shown.ts'

/** The fields of the document, on the model's tabs. */
export function DocumentFields() {
  const { model } = useEditor()
  const tabs = useMemo(() => tabsOf(model.fields), [model])
  return tabs.length > 1 ? <TabbedFields tabs={tabs} /> : <Fields fields={model.fields} />
}

/** Returns the id of a tab. Tab names may be missing, or invalid in an element id. */
const idOf = ({ fields }: FormTab<Field>) => fields[0]?._id ?? ''

function TabbedFields({ tabs }: { tabs: FormTab<Field>[] }) {
  const t = useTranslations('documents.editor')
  const { tab: chosen } = useEditor()
  const open = useStore(chosen) ?? tabs[0]?.fields[0]?._id ?? ''
  // Panels mount when they are first opened, because a model may have many fields.
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set([open]))
  if (!seen.has(open)) setSeen(new Set(seen).add(open))
  return (
    // Hidden panels stay mounted, because text editors do not survive a remount.
    <Tabs value={open} onChange={(value) => chosen.set(value)} keepMountedMode="display-none">
      <Tabs.List className={classes.tabs} aria-label={t('tabs')}>
        {tabs.map((tab) => (
          <Tabs.Tab key={idOf(tab)} value={idOf(tab)} rightSection={<BrokenMark fields={tab.fields} />}>
            {tab.name ?? t('mainTab')}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={idOf(tab)} value={idOf(tab)}>
          {seen.has(idOf(tab)) && <Fields fields={tab.fields} />}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function BrokenMark({ fields }: { fields: readonly Field[] }) {
  const t = useTranslations('documents.editor')
  const issues = useAllIssues()
  const isBroken = issues.some(({ path }) => fields.some(({ uid }) => uid === path.split('.')[0]))
  if (!isBroken) return null
  return (
    <span className={classes.broken}>
      <IconAlertTriangle size={15} aria-hidden="true" />
      <VisuallyHidden>{t('brokenTab')}</VisuallyHidden>
    </span>
  )
}

const Fields = memo(function Fields({ fields }: { fields: readonly Field[] }) {
  return (
    <div className={grid.fields}>
      {fields.map((field) =>
        field.condition ? (
          <ConditionalField key={field._id} field={field} />
        ) : (
          <Cell key={field._id} field={field} />
        ),
      )}
    </div>
  )
})

const Cell = ({ field }: { field: Field }) => (
  <FieldCell field={field} lookOf={adminFieldType}>
    <FieldEditor field={field} />
  </FieldCell>
)

/**
 * A field with a condition. While the condition is not met, the field is shown only if an issue is found in it, so that
 * the user can correct the issue.
 */
function ConditionalField({ field }: { field: Field }) {
  const { store } = useEditor()
  const isShown = useIsShown(field)
  const issues = useIssues(field.uid)
  useEffect(() => {
    // Issues found before the field was hidden no longer matter.
    if (!isShown) store.setIssues(field.uid, [], { value: store.get(field.uid) })
  }, [isShown, store, field.uid])
  return isShown || issues.length > 0 ? <Cell field={field} /> : null
}

/**
 * Opens the tab of a field and calls `then` in the next animation frame. If the tab is already open, calls `then`
 * directly.
 */
export function withTabOf({ model, tab }: EditorContextValue, uid: string, then: () => void): void {
  const tabs = tabsOf(model.fields)
  const wanted = tabs.find(({ fields }) => fields.some((field) => field.uid === uid)) ?? tabs[0]
  if (!wanted || idOf(wanted) === (tab.get() ?? model.fields[0]?._id)) then()
  else {
    tab.set(idOf(wanted))
    requestAnimationFrame(then)
  }
}
