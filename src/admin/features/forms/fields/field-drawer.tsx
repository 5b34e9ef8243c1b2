import { Alert, Button, Group, Stack, TextInput, Title } from '@mantine/core'
import { IconCopy, IconTrash } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { SwitchSetting } from '#admin/fields/settings-inputs.tsx'
import { issueText } from '#admin/lib/errors.ts'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { SideWindow } from '#admin/ui/side-window.tsx'
import type { FormField } from '#shared/forms/fields.ts'
import type { Language } from '#shared/languages.ts'
import classes from '../forms.module.css'
import { type FieldDraft, type FieldPatch, hasRoom, type PlacedIssue } from './field-drafts.ts'
import { LanguageSwitch, LocalizedInput } from './localized-input.tsx'
import { TypeRules } from './type-rules.tsx'

interface FieldDrawerProps {
  /** The field whose settings are open. null: closed. */
  draft: FieldDraft | null
  drafts: readonly FieldDraft[]
  /** The saved field at the same position of the editor. null: the field is new. */
  saved: FormField | null
  language: Language
  onLanguage: (language: Language) => void
  readOnly: boolean
  issueAt: (key: string, property: string) => PlacedIssue | undefined
  onChange: (key: string, patch: FieldPatch) => void
  onLeave: (key: string, property: string) => void
  onDuplicate: (key: string) => void
  onRemove: (key: string) => void
  onClose: () => void
}

/** The settings of one field in a drawer. */
export function FieldDrawer(props: FieldDrawerProps) {
  const { draft, readOnly, onClose } = props
  const types = useTranslations('forms.types')
  return (
    <SideWindow
      opened={draft !== null}
      onClose={onClose}
      size={480}
      title={draft ? types(`${draft.field.type}.name`) : ''}
      // Keeps the focused input above the footer.
      styles={{ content: { scrollPaddingBottom: 76 } }}
    >
      {draft && <FieldSettings key={draft.key} {...props} draft={draft} readOnly={readOnly} />}
    </SideWindow>
  )
}

function FieldSettings(props: FieldDrawerProps & { draft: FieldDraft }) {
  const { draft, drafts, saved, language, onLanguage, readOnly, issueAt, onClose } = props
  const t = useTranslations('forms.fields')
  const types = useTranslations('forms.types')
  const common = useTranslations('common')
  const { key, field } = draft
  const change = (patch: FieldPatch) => props.onChange(key, patch)
  const leave = (property: string) => props.onLeave(key, property)
  function problem(property: string): string | null {
    const issue = issueAt(key, property)
    if (!issue) return null
    if (property === 'name' && issue.code === 'DuplicatedValue') return t('nameTaken')
    if (property === 'pattern') return t('patternInvalid')
    if (property === 'accept') return t('acceptInvalid')
    if (property === 'link') return t('linkInvalid')
    if (issue.code === 'DuplicatedValue') return t('optionTaken')
    return issueText(issue)
  }
  return (
    <Stack gap="xl">
      <FormStack>
        <Group justify="space-between" align="center">
          <span className={classes.hint}>{t('languageHint')}</span>
          <LanguageSwitch label={t('language')} value={language} onChange={onLanguage} />
        </Group>
        <LocalizedInput
          language={language}
          readOnly={readOnly}
          label={t(field.type === 'consent' ? 'consentLabel' : 'label')}
          value={field.label}
          onChange={(label) => change({ label })}
          onBlur={() => leave('label')}
          error={problem('label')}
          maxLength={200}
          required
          autofocus
        />
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          value={field.name}
          error={problem('name')}
          readOnly={readOnly}
          maxLength={100}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          withAsterisk={!readOnly}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onChange={(event) => change({ name: event.currentTarget.value })}
          onBlur={() => leave('name')}
        />
        {saved && saved.name !== field.name && (
          <Alert color="yellow" variant="light" role="status" p="xs">
            {t('nameChanges', { from: saved.name, to: field.name })}
          </Alert>
        )}
        <LocalizedInput
          language={language}
          readOnly={readOnly}
          label={t('help')}
          description={t('helpHint')}
          value={field.help}
          onChange={(help) => change({ help })}
          error={problem('help')}
          maxLength={500}
          multiline
        />
        <SwitchSetting
          label={t('requiredSwitch')}
          description={t(field.type === 'consent' ? 'requiredConsent' : 'requiredHint')}
          checked={field.required}
          onChange={(required) => change({ required })}
          readOnly={readOnly}
        />
      </FormStack>

      {hasRules(field) && (
        <section>
          <Title order={3} mb="xs">
            {t('rulesOf', { type: types(`${field.type}.name`) })}
          </Title>
          <TypeRules
            field={field}
            saved={saved?.type === field.type ? saved : null}
            language={language}
            readOnly={readOnly}
            onChange={change}
            problem={problem}
            onBlur={leave}
          />
        </section>
      )}

      <LocalizedInput
        language={language}
        readOnly={readOnly}
        label={t('message')}
        description={t('messageHint')}
        value={field.message}
        onChange={(message) => change({ message })}
        error={problem('message')}
        maxLength={200}
      />

      <Group justify="space-between" className={classes.drawerFooter ?? ''}>
        {readOnly ? (
          <span />
        ) : (
          <Group gap="xs">
            <Button
              variant="subtle"
              color="red.8"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} />}
              onClick={() => props.onRemove(key)}
            >
              {t('remove')}
            </Button>
            <Button
              variant="subtle"
              color="gray"
              c="var(--mantine-color-text)"
              leftSection={<IconCopy size={16} />}
              disabled={!hasRoom(drafts)}
              onClick={() => props.onDuplicate(key)}
            >
              {t('duplicate')}
            </Button>
          </Group>
        )}
        <Button variant={readOnly ? 'default' : 'filled'} onClick={onClose}>
          {readOnly ? common('close') : t('done')}
        </Button>
      </Group>
    </Stack>
  )
}

/** Returns whether fields of this type have rules of their own. */
const hasRules = ({ type }: FormField): boolean => type !== 'email' && type !== 'phone' && type !== 'date'
