import { Button, Group, Skeleton, Stack, Textarea, TextInput } from '@mantine/core'
import { IconCopy, IconTrash } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '#admin/fields/field-props.ts'
import { adminFieldType } from '#admin/fields/index.ts'
import { BoundsSetting, SwitchSetting } from '#admin/fields/settings-inputs.tsx'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { useReading } from '#admin/lib/use-reading.ts'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { SideWindow } from '#admin/ui/side-window.tsx'
import { takesSuggestion } from '#admin/ui/uid-field.tsx'
import { type FieldTypeName, typeOf } from '#shared/fields/index.ts'
import { customTypesIn } from '#shared/fields/references.ts'
import { isComingWord } from '#shared/identifiers.ts'
import { type FieldDraft, type FieldPatch, wholeField } from './draft.ts'
import { Section, Warning } from './drawer-parts.tsx'
import classes from './field-drawer.module.css'
import { FieldTypeSelect } from './field-type-select.tsx'
import { FormSettings } from './form-settings.tsx'
import type { Repeated } from './model-editing.ts'

const FieldInputPreview = lazyPart(async () => (await import('./field-preview.tsx')).FieldInputPreview)

const RepeatedValues = lazyPart(async () => (await import('./repeated-values.tsx')).RepeatedValues)

interface FieldDrawerProps {
  /** The field whose settings are open. null: closed. */
  field: FieldDraft | null
  /** All fields of the same form. */
  fields: readonly FieldDraft[]
  /** Whether the form can have tabs: the form of a model can, the form of a custom type cannot. */
  hasTabs: boolean
  /** The saved state of the field. null: the field is new. */
  saved: FieldDraft | null
  isNew: boolean
  /** Whether documents may contain values that a change would remove. */
  hasDocuments: boolean
  readOnly: boolean
  full: boolean
  place: { p: string; a: string }
  models: FieldSettingsProps['models']
  siblings: FieldSettingsProps['siblings']
  customTypes: FieldSettingsProps['customTypes']
  /** Returns the message for a setting. null: there is no issue, or it should not be shown yet. */
  problem: (property: string) => string | null
  /** Values that several published documents share, so that the field cannot be unique. */
  repeated: readonly Repeated[]
  onClose: () => void
  onEdit: (patch: FieldPatch) => void
  onChangeName: (name: string) => void
  /** Called when an empty uid input receives the focus, to suggest a uid. */
  onSuggestUid: () => void
  onChangeType: (type: FieldTypeName) => void
  onBlur: (property: string) => void
  onDuplicate: () => void
  onRemove: () => void
}

/** The settings of one field in a drawer. */
export function FieldDrawer(props: FieldDrawerProps) {
  const t = useTranslations('models.drawer')
  const { field } = props
  return (
    <SideWindow
      opened={field !== null}
      onClose={props.onClose}
      size={460}
      title={t(props.readOnly ? 'titleReadOnly' : 'title')}
      // Keeps the focused input above the footer.
      styles={{ content: { scrollPaddingBottom: 76 } }}
    >
      {field && <FieldSettings key={field.key} {...props} field={field} />}
    </SideWindow>
  )
}

function FieldSettings(props: FieldDrawerProps & { field: FieldDraft }) {
  const { field, saved, readOnly, onEdit, onBlur, problem } = props
  const t = useTranslations('models.drawer')
  const fields = useTranslations('models.fields')
  const types = useTranslations('models.types')
  const settings = useTranslations('models.settings')
  const common = useTranslations('common')
  const type = typeOf(field)
  const reading = useReading(readOnly ? undefined : props.onChangeName)
  const { heavy, needed, requiredHint = 'requiredHint' } = adminFieldType(field)
  // A type with inner fields has no preview until its custom type or inner types are chosen.
  const isShown = !heavy && !(type.nesting && needed?.(wholeField(field)).length)
  return (
    <Stack gap="xl" {...(readOnly ? { className: classes.readOnly ?? '' } : {})}>
      <FormStack>
        <TextInput
          {...reading}
          label={t('name')}
          placeholder={t('namePlaceholder')}
          value={field.name}
          error={problem('name')}
          readOnly={readOnly}
          maxLength={100}
          autoComplete="off"
          withAsterisk
          {...(props.isNew ? { 'data-autofocus': true } : {})}
          onChange={(event) => props.onChangeName(event.currentTarget.value)}
          onBlur={() => onBlur('name')}
        />
        <TextInput
          label={t('uid')}
          description={t('uidHint')}
          value={field.uid}
          error={problem('uid')}
          readOnly={readOnly}
          maxLength={64}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          withAsterisk
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onFocus={takesSuggestion(field.uid, readOnly ? undefined : props.onSuggestUid)}
          onChange={(event) => onEdit({ uid: event.currentTarget.value })}
          onBlur={() => onBlur('uid')}
        />
        {saved && saved.uid !== field.uid && (
          <Warning>{t('uidChanges', { from: saved.uid, to: field.uid })}</Warning>
        )}
        {saved?.uid === field.uid && isComingWord('field', field.uid) && (
          <Warning>{t('uidReserved', { uid: field.uid })}</Warning>
        )}
        <Textarea
          label={t('description')}
          description={t('descriptionHint')}
          value={field.description}
          error={problem('description')}
          readOnly={readOnly}
          maxLength={1000}
          autosize
          minRows={1}
          maxRows={6}
          onChange={(event) => onEdit({ description: event.currentTarget.value })}
          onBlur={() => onBlur('description')}
        />
        <FieldTypeSelect value={field.type} readOnly={readOnly} onChange={props.onChangeType} />
        {saved && saved.type !== field.type && props.hasDocuments && <Warning>{t('typeChanges')}</Warning>}
      </FormStack>

      <FormStack>
        <SwitchSetting
          label={t('required')}
          description={t(requiredHint)}
          checked={field.required}
          onChange={(required) => onEdit({ required })}
          readOnly={readOnly}
        />
        {type.canBeUnique && (
          <SwitchSetting
            label={t('unique')}
            description={t('uniqueHint')}
            checked={field.unique}
            onChange={(unique) => onEdit({ unique })}
            error={problem('unique')}
            readOnly={readOnly}
          />
        )}
        {props.repeated.length > 0 && (
          <Suspense>
            <RepeatedValues repeated={props.repeated} place={props.place} />
          </Suspense>
        )}
        {type.canBeMultiple && (
          <SwitchSetting
            label={t('multiple')}
            description={t('multipleHint')}
            checked={field.multiple}
            onChange={(multiple) => onEdit({ multiple })}
            readOnly={readOnly}
          />
        )}
        {saved?.multiple && !field.multiple && props.hasDocuments && (
          <Warning>{t('multipleChanges')}</Warning>
        )}
        {type.canBeMultiple && field.multiple && (
          <BoundsSetting
            names={['minItems', 'maxItems']}
            labels={[t('minItems'), t('maxItems')]}
            placeholder={settings('noLimit')}
            settings={field}
            onChange={onEdit}
            onBlur={onBlur}
            problem={problem}
            readOnly={readOnly}
          />
        )}
      </FormStack>

      <Section title={t('ofType', { type: types(`${field.type}.name`) })}>
        <Suspense fallback={<Skeleton height={120} />}>
          <TypeSettings {...props} onChange={onEdit} lookOf={adminFieldType} />
        </Suspense>
      </Section>

      <Section title={t('form')}>
        <FormStack>
          <FormSettings
            field={field}
            fields={props.fields}
            hasTabs={props.hasTabs}
            readOnly={readOnly}
            problem={problem}
            onEdit={onEdit}
            onBlur={onBlur}
          />
        </FormStack>
      </Section>

      {isShown && (
        <Section title={t('preview')} hint={t('previewHint')}>
          <Suspense fallback={<Skeleton height={60} />}>
            {/*
             * The preview is mounted again when the type, `multiple`, the default value or the custom types change.
             */}
            <FieldInputPreview
              key={`${field.type} ${field.multiple} ${JSON.stringify('defaultValue' in field ? field.defaultValue : null)} ${customTypesIn([wholeField(field)]).map(({ uid }) => uid)}`}
              field={field}
              place={props.place}
            />
          </Suspense>
        </Section>
      )}

      <Group justify="space-between" className={classes.footer ?? ''}>
        {readOnly ? (
          <span />
        ) : (
          <Group gap="xs">
            <Button
              variant="subtle"
              color="red.8"
              c="var(--mantine-color-error)"
              size="sm"
              leftSection={<IconTrash size={16} />}
              onClick={props.onRemove}
            >
              {fields('remove')}
            </Button>
            <Button
              variant="subtle"
              color="gray"
              c="var(--mantine-color-text)"
              size="sm"
              leftSection={<IconCopy size={16} />}
              disabled={props.full}
              onClick={props.onDuplicate}
            >
              {fields('duplicate')}
            </Button>
          </Group>
        )}
        <Button variant={readOnly ? 'default' : 'filled'} onClick={props.onClose}>
          {readOnly ? common('close') : t('done')}
        </Button>
      </Group>
    </Stack>
  )
}

/** The settings form of the field's type; the field may have no `_id` yet. */
function TypeSettings(props: Omit<FieldSettingsProps, 'field'> & { field: FieldDraft }) {
  const Form = adminFieldType(props.field).settings as React.ComponentType<
    Omit<FieldSettingsProps, 'field'> & { field: FieldDraft }
  >
  return (
    <FormStack>
      <Form
        field={props.field}
        onChange={props.onChange}
        onBlur={props.onBlur}
        problem={props.problem}
        readOnly={props.readOnly}
        models={props.models}
        siblings={props.siblings}
        customTypes={props.customTypes}
        place={props.place}
        lookOf={props.lookOf}
      />
    </FormStack>
  )
}
