import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import { type ModelChange, modelChanges } from './changes.ts'
import { draftOf, type Edited, type ModelDraft } from './draft.ts'

interface ConflictDialogProps {
  /** The current model or custom type on the server. */
  model: Edited
  /** The model or custom type as this editor last loaded or saved it. */
  base: ModelDraft
  onCancel: () => void
  onReload: () => void
  onOverwrite: () => void
}

/**
 * A dialog shown if another save came first. Lists the changes since this editor last loaded or saved the model. The
 * user reloads the model, or overwrites the changes.
 */
export function ConflictDialog({ model, base, onCancel, onReload, onOverwrite }: ConflictDialogProps) {
  const t = useTranslations('models.conflict')
  const format = useFormatter()
  const changeText = useChangeText()
  const changes = modelChanges(base, draftOf(model))
  const time = format.dateTime(new Date(model.updatedAt), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Dialog onClose={onCancel} title={t('title')} size="lg">
      <Stack gap="md">
        <Text size="sm">{t('text', { time })}</Text>
        {changes.length === 0 ? (
          <Text size="sm">{t('none')}</Text>
        ) : (
          <div>
            <Title order={3}>{t('theirs')}</Title>
            <ul style={{ margin: '4px 0 0', paddingLeft: '1.4em' }}>
              {changes.map((change) => (
                <li key={changeText(change)}>{changeText(change)}</li>
              ))}
            </ul>
            <Text size="sm" c="dimmed" mt="sm">
              {t('overwriteNote')}
            </Text>
          </div>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} data-autofocus>
            {t('cancel')}
          </Button>
          <Button variant="default" onClick={onReload}>
            {t('reload')}
          </Button>
          <Button color="red.8" onClick={onOverwrite}>
            {t('overwrite')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function useChangeText(): (change: ModelChange) => string {
  const t = useTranslations('models.changes')
  const unnamed = useTranslations('models.fields')('unnamed')
  return (change) => {
    if (change.kind === 'uid') return t('uid', { uid: change.uid })
    if ('name' in change) return t(change.kind, { name: change.name || unnamed })
    return t(change.kind)
  }
}
