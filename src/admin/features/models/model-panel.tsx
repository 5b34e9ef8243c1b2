import { Alert, Button, Select, Stack, Text, Title } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import { CopyField } from '#admin/ui/copy-field.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import { isComingWord } from '#shared/identifiers.ts'
import { Basics } from './basics.tsx'
import { canBeTitle } from './draft.ts'
import classes from './model-editor.module.css'
import type { PanelProps } from './model-editor.tsx'

interface ModelPanelProps extends PanelProps {
  place: { p: string; a: string }
  onDelete: () => void
}

/** The panel of the model itself: name, uid, description, title field, API URL and deletion. */
export function ModelPanel(props: ModelPanelProps) {
  const { draft, savedUid, place, readOnly, problem } = props
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
        <FormStack>
          <Basics {...props} nameLabel={t('name')} uidLabel={t('uid')}>
            {draft.uid !== savedUid && (
              <Alert color="yellow" variant="light" role="status" p="xs">
                {t('uidChanges', { from: path(savedUid), to: path(draft.uid) })}
              </Alert>
            )}
            {draft.uid === savedUid && isComingWord('model', savedUid) && (
              <Alert color="yellow" variant="light" role="status" p="xs">
                {t('uidReserved', { uid: savedUid })}
              </Alert>
            )}
          </Basics>
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
        </FormStack>
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
