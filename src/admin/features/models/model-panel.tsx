import { Alert, Button, Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { canBeTitle, type ModelDraft } from './draft.ts'
import classes from './model-editor.module.css'

interface ModelPanelProps {
  draft: ModelDraft
  /** The uid as the server has it. */
  savedUid: string
  place: { p: string; a: string }
  readOnly: boolean
  problem: (property: string) => string | null
  onEdit: (patch: Partial<Pick<ModelDraft, 'name' | 'uid' | 'description'>>) => void
  onBlur: (property: string) => void
  onTitle: (key: string | null) => void
  onDelete: () => void
}

/** What is said of the model itself: name, uid, title field, where the API serves it, and its end. */
export function ModelPanel(props: ModelPanelProps) {
  const { draft, savedUid, place, readOnly, problem, onEdit, onBlur } = props
  const t = useTranslations('models.panel')
  const fields = useTranslations('models.fields')
  const titles = draft.fields.filter(canBeTitle)
  const path = (uid: string) => `/${place.p}.cdn/v1/${place.a}/${uid}`
  return (
    <Stack gap="xl">
      <section className={classes.card}>
        <Title order={2} mb="sm">
          {t('basics')}
        </Title>
        <Stack gap="md">
          <TextInput
            label={t('name')}
            value={draft.name}
            error={problem('name')}
            readOnly={readOnly}
            maxLength={100}
            autoComplete="off"
            withAsterisk
            onChange={(event) => onEdit({ name: event.currentTarget.value })}
            onBlur={() => onBlur('name')}
          />
          <TextInput
            label={t('uid')}
            value={draft.uid}
            error={problem('uid')}
            readOnly={readOnly}
            maxLength={64}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            withAsterisk
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            onChange={(event) => onEdit({ uid: event.currentTarget.value })}
            onBlur={() => onBlur('uid')}
          />
          {draft.uid !== savedUid && (
            <Alert color="yellow" variant="light" role="status" p="xs">
              {t('uidChanges', { from: path(savedUid), to: path(draft.uid) })}
            </Alert>
          )}
          <Textarea
            label={t('description')}
            value={draft.description}
            error={problem('description')}
            readOnly={readOnly}
            maxLength={1000}
            autosize
            minRows={2}
            maxRows={8}
            onChange={(event) => onEdit({ description: event.currentTarget.value })}
            onBlur={() => onBlur('description')}
          />
          <Select
            label={t('titleField')}
            description={t(titles.length > 0 ? 'titleFieldHint' : 'noTitleHint')}
            error={problem('titleField')}
            data={[
              { value: '', label: t('noTitle') },
              ...titles.map((field) => ({ value: field.key, label: field.name || fields('unnamed') })),
            ]}
            value={draft.titleField ?? ''}
            allowDeselect={false}
            readOnly={readOnly}
            onChange={(key) => props.onTitle(key || null)}
          />
        </Stack>
      </section>

      <section className={classes.card}>
        <Title order={2} mb="sm">
          {t('api')}
        </Title>
        <CopyField label={t('apiHint')} value={`${location.origin}${path(savedUid)}`} copyLabel={t('copy')} />
        {draft.uid !== savedUid && (
          <Text size="xs" c="dimmed" mt={6}>
            {t('unsavedUid')}
          </Text>
        )}
      </section>

      {!readOnly && (
        <div>
          <Button
            variant="subtle"
            color="red.8"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={props.onDelete}
          >
            {t('delete')}
          </Button>
        </div>
      )}
    </Stack>
  )
}
