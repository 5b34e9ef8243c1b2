import { Alert, Button, Group, Text } from '@mantine/core'
import { IconArrowBackUp, IconInfoCircle } from '@tabler/icons-react'
import { type ReactNode, useEffect, useReducer, useRef } from 'react'
import { useTranslations } from 'use-intl'
import type { WholeRevision } from '#shared/contract/documents.ts'
import type { Field } from '#shared/fields/index.ts'
import editor from '../editor.module.css'
import { useEditor } from '../editor-context.ts'
import { WholeValue } from '../whole-value.tsx'
import classes from './history.module.css'
import { differingFields, isUnreadable } from './restore-fields.ts'
import { useRestore } from './use-restore.ts'

/**
 * `differences`: only fields that differ from the form, next to the form's values. `whole`: every value of the version.
 */
export type View = 'differences' | 'whole'

interface RevisionValuesProps {
  revision: WholeRevision
  view: View
  onClose: () => void
}

/** The values of a version by field, with buttons that take them over into the form. */
export function RevisionValues({ revision, view, onClose }: RevisionValuesProps) {
  const t = useTranslations('documents.revisions')
  const actions = useTranslations('documents.actions')
  const common = useTranslations('common')
  const { store, readOnly, readOnlyFields } = useEditor()
  const list = useRef<HTMLDivElement>(null)
  useValues()
  const restore = useRestore(revision)
  const { version, values } = revision
  const differing = differingFields(store, revision)
  const mayRestore = (field: Field) => !readOnly && !readOnlyFields.has(field._id)
  const restorable = differing.filter(mayRestore)
  const shown =
    view === 'differences' ? differing : store.model.fields.filter((field) => !isUnreadable(field, revision))

  return (
    <>
      {/* The list takes the focus when a field leaves it, so that the focus stays in the window. */}
      <div ref={list} tabIndex={-1} className={classes.fields}>
        {view === 'differences' && differing.length === 0 && <Text size="sm">{t('same')}</Text>}
        {shown.map((field) => (
          <section key={field._id} className={classes.field} aria-label={field.name}>
            <Group justify="space-between" gap="xs" mb={6}>
              <Text size="sm" fw={600}>
                {field.name}
              </Text>
              {view === 'differences' && !readOnly && (
                <FieldButton
                  name={field.name}
                  readOnly={!mayRestore(field)}
                  onClick={() =>
                    void restore([field], {
                      message: t('restoredField', { name: field.name, version }),
                      done: () => list.current?.focus(),
                    })
                  }
                />
              )}
            </Group>
            {view === 'differences' ? (
              <div className={editor.sides}>
                <Side label={t('ofVersion', { version })} field={field}>
                  <WholeValue field={field} value={values[field.uid]} other={store.get(field.uid)} />
                </Side>
                <Side label={t('ofForm')} field={field}>
                  <WholeValue field={field} value={store.get(field.uid)} other={values[field.uid]} />
                </Side>
              </div>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only with the focus.
              <div className={classes.value} tabIndex={0}>
                <WholeValue field={field} value={values[field.uid]} other={values[field.uid]} />
              </div>
            )}
          </section>
        ))}
        {revision.left.length > 0 && <Left revision={revision} fields={store.model.fields} />}
      </div>
      <Group justify="flex-end" gap="sm" className={editor.foot}>
        {readOnly && (
          <Text size="sm" c="dimmed" mr="auto">
            {actions('noRightToEdit')}
          </Text>
        )}
        <Button variant="default" onClick={onClose}>
          {common('close')}
        </Button>
        <Button
          leftSection={<IconArrowBackUp size={16} />}
          disabled={restorable.length === 0}
          onClick={() => void restore(restorable, { message: t('restored', { version }), done: onClose })}
        >
          {t('restore')}
        </Button>
      </Group>
    </>
  )
}

function FieldButton({ name, readOnly, onClick }: { name: string; readOnly: boolean; onClick: () => void }) {
  const t = useTranslations('documents.revisions')
  if (readOnly)
    return (
      <Text size="xs" c="dimmed">
        {t('fieldReadOnly')}
      </Text>
    )
  return (
    <Button variant="default" size="xs" aria-label={t('restoreFieldOf', { name })} onClick={onClick}>
      {t('restoreField')}
    </Button>
  )
}

function Side({ label, field, children }: { label: string; field: Field; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {label}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only with the focus. */}
      <section className={classes.value} tabIndex={0} aria-label={`${field.name} ${label}`}>
        {children}
      </section>
    </div>
  )
}

/** The values that the form cannot take, with the names of their fields. */
function Left({ revision, fields }: { revision: WholeRevision; fields: readonly Field[] }) {
  const t = useTranslations('documents.revisions')
  return (
    <Alert color="blue" variant="light" icon={<IconInfoCircle size={18} />} title={t('leftTitle')}>
      <Text size="sm" mb="xs">
        {t('leftText')}
      </Text>
      {revision.left.map(({ field: uid, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list of a version never changes.
        <div key={index}>
          <Text size="sm" fw={600}>
            {fields.find((field) => field.uid === uid)?.name ?? uid ?? t('removedField')}
          </Text>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll it only with the focus. */}
          <div className={classes.value} tabIndex={0}>
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {typeof value === 'string' ? value : JSON.stringify(value, null, 1)}
            </Text>
          </div>
        </div>
      ))}
    </Alert>
  )
}

function useValues(): void {
  const { store } = useEditor()
  const [, renew] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const stops = store.model.fields.map(({ uid }) => store.subscribe(`value:${uid}`, renew))
    return () => {
      for (const stop of stops) stop()
    }
  }, [store])
}
