import { Button, Checkbox, Code, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { Dialog } from '#admin/ui/dialog.tsx'
import type { Model } from '#shared/contract/models.ts'
import { type ModelChange, modelChanges } from './changes.ts'
import { draftOf, type Edited, type ModelDraft } from './draft.ts'
import type { Loss } from './model-editing.ts'

interface LossDialogProps {
  losses: readonly Loss[]
  /** The model as the server has it: names for the uids. */
  base: ModelDraft
  /** The models of the app: names for the uids, where several lose something. */
  models: readonly Model[]
  /** What is lost is kept for a while, in which the change can be taken back. */
  isKept: boolean
  /** What is done when the losses are accepted. */
  action?: string
  onCancel: () => void
  onAccept: () => void
}

/** Says what a save takes from documents, and does it only after a tick. */
export function LossDialog({ losses, base, models, isKept, action, onCancel, onAccept }: LossDialogProps) {
  const t = useTranslations('models.losses')
  const [accepted, setAccepted] = useState(false)
  // Inside of a value, the field of the model is named and the way from there shown: `[hero].data.title`.
  const nameOf = ({ model: modelUid, field: path }: Loss) => {
    const model = models.find(({ uid }) => uid === modelUid)
    const [uid = ''] = path.split(/[.[]/, 1)
    const inside = path.slice(uid.length).replace(/^\./, '')
    const field = (model?.fields ?? base.fields).find((other) => other.uid === uid)?.name ?? uid
    const name =
      modelUid === undefined ? field : t('inModel', { model: model?.name ?? modelUid, name: field })
    return inside ? (
      <>
        {name} <Code>{inside}</Code>
      </>
    ) : (
      name
    )
  }
  return (
    <Dialog onClose={onCancel} title={t('title')} size="lg">
      <Stack gap="md">
        <Text size="sm">{isKept ? t('text') : t('forEver')}</Text>
        <Table.ScrollContainer minWidth={320}>
          <Table>
            <Table.Tbody>
              {losses.map((loss) => (
                <Table.Tr key={`${loss.model} ${loss.field}`}>
                  <Table.Th scope="row">{nameOf(loss)}</Table.Th>
                  <Table.Td>{t(loss.reason)}</Table.Td>
                  <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                    {t('documents', { count: loss.documents, total: loss.total })}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <Checkbox
          label={t('accept')}
          checked={accepted}
          onChange={(event) => setAccepted(event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button color="red.8" disabled={!accepted} onClick={onAccept}>
            {action ?? t('save')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface ConflictDialogProps {
  /** The model as it is now. */
  model: Edited
  /** The model as it was when editing began. */
  base: ModelDraft
  onCancel: () => void
  onReload: () => void
  onOverwrite: () => void
}

/** Another member saved first: shows what they did, then lets the person choose. */
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
