import { Button, Group, Text, Title } from '@mantine/core'
import { IconForms } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { focusInvalid } from '#admin/lib/focus-invalid.ts'
import { useShortcut } from '#admin/lib/shortcuts.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { EmptyState } from '#admin/ui/states.tsx'
import { UnsavedGuard } from '#admin/ui/unsaved-guard.tsx'
import type { Form } from '#shared/contract/forms.ts'
import { type FormFieldType, formLimits } from '#shared/forms/fields.ts'
import { textIn } from '#shared/forms/localized.ts'
import type { Language } from '#shared/languages.ts'
import { FormFrame } from '../form-frame.tsx'
import classes from '../forms.module.css'
import { AddField } from './add-field.tsx'
import { hasRoom } from './field-drafts.ts'
import { FieldDrawer } from './field-drawer.tsx'
import { FieldRows } from './field-rows.tsx'
import { FormPreview } from './form-preview.tsx'
import { LanguageSwitch } from './localized-input.tsx'
import { useFieldsEditor } from './use-fields-editor.ts'

/** `/{p}/-/forms/{form}/fields` */
export function FieldsPage() {
  return <FormFrame>{(form, p) => <FieldsEditor p={p} form={form} />}</FormFrame>
}

/** The editor of a form's fields, with a preview. Read-only for users who may not manage forms. */
export function FieldsEditor({ p, form }: { p: string; form: Form }) {
  const t = useTranslations('forms.fields')
  const common = useTranslations('common')
  const uiLanguage = useLocale()
  const navigate = useNavigate()
  const readOnly = !useCanInSpace(p)('form.manage')
  const editor = useFieldsEditor(p, form)
  const [language, setLanguage] = useState<Language>(uiLanguage)
  const [openKey, setOpenKey] = useState<string | null>(null)
  const { drafts, isDirty, saving } = editor
  const open = drafts.find(({ key }) => key === openKey) ?? null

  async function save() {
    const { isSaved, broken } = await editor.save()
    if (broken) {
      setOpenKey(broken)
      focusInvalid('[role="dialog"]')
    }
    if (!isSaved) return
    toast.success(t('saved'), {
      label: t('toInstall'),
      run: () => void navigate({ to: '/$p/-/forms/$form/install', params: { p, form: form._id } }),
    })
  }
  useShortcut('mod+s', common('save'), () => void save(), !readOnly && isDirty)

  function close() {
    if (openKey === null) return
    setOpenKey(null)
    const row = `[data-field-key="${CSS.escape(openKey)}"]`
    setTimeout(() => document.querySelector<HTMLElement>(row)?.focus())
  }

  function add(type: FormFieldType) {
    setOpenKey(editor.add(type))
  }

  function remove(key: string) {
    const removed = drafts.find((draft) => draft.key === key)
    const undo = editor.remove(key)
    if (openKey === key) setOpenKey(null)
    if (!removed || !undo) return
    const name = textIn(removed.field.label, language) || removed.field.name
    toast.success(t('removed', { name }), { label: t('undo'), run: undo })
  }

  function duplicate(key: string) {
    const copied = editor.duplicate(key)
    if (copied) setOpenKey(copied)
  }

  return (
    <>
      <UnsavedGuard when={isDirty && !saving} />
      <div className={classes.editor}>
        <div>
          {!readOnly && (
            <div className={classes.saveBar}>
              <Text size="sm" c="dimmed" role="status">
                {isDirty ? common('saveState.unsaved') : t('noChanges')}
              </Text>
              <Group gap="sm" ml="auto">
                {isDirty && (
                  <Button variant="default" disabled={saving} onClick={editor.discard}>
                    {t('discard')}
                  </Button>
                )}
                <Button loading={saving} disabled={!isDirty} onClick={() => void save()}>
                  {common('save')}
                </Button>
              </Group>
            </div>
          )}
          <FormProblem text={editor.problem?.text ?? null} />
          {editor.problem?.isOutdated && (
            <Button variant="default" my="sm" onClick={() => void editor.reload()}>
              {t('reload')}
            </Button>
          )}
          {drafts.length === 0 ? (
            <EmptyState
              icon={<IconForms size={36} stroke={1.4} aria-hidden="true" />}
              title={t('empty')}
              text={t('emptyText')}
              action={!readOnly && <AddField disabled={false} onAdd={add} />}
            />
          ) : (
            <>
              <FieldRows
                drafts={drafts}
                language={language}
                broken={editor.broken}
                openKey={openKey}
                readOnly={readOnly}
                onOpen={setOpenKey}
                onMove={editor.move}
                onDuplicate={duplicate}
                onRemove={remove}
              />
              {!readOnly && (
                <Group gap="sm" mt="sm">
                  <AddField disabled={!hasRoom(drafts)} onAdd={add} />
                  <Text size="sm" c="dimmed">
                    {t('count', { count: drafts.length, maximum: formLimits.fields })}
                  </Text>
                </Group>
              )}
              <Text size="sm" c="dimmed" mt="md">
                {t('others')}
              </Text>
            </>
          )}
        </div>
        <section className={classes.previewCard} aria-labelledby="form-preview">
          <Group justify="space-between" mb="sm">
            <Title order={2} id="form-preview">
              {t('preview')}
            </Title>
            <LanguageSwitch label={t('previewLanguage')} value={language} onChange={setLanguage} />
          </Group>
          <FormPreview fields={drafts.map(({ field }) => field)} language={language} />
        </section>
      </div>
      <FieldDrawer
        draft={open}
        drafts={drafts}
        saved={editor.saved.fields.find(({ name }) => name === open?.savedName) ?? null}
        language={language}
        onLanguage={setLanguage}
        readOnly={readOnly}
        issueAt={editor.issueAt}
        onChange={editor.change}
        onLeave={editor.leave}
        onDuplicate={duplicate}
        onRemove={remove}
        onClose={close}
      />
    </>
  )
}
