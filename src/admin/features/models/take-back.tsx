import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import type { Model, ModelChange } from '#shared/contract/models.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import { ConsequencesDialog } from './consequences-dialog.tsx'
import { draftOf, type Edited } from './draft.ts'
import { type Consequences, hasConsequences } from './model-editing.ts'

/** The API calls that list, revert and confirm changes of a model or custom type. */
export interface ChangesApi {
  list(signal: AbortSignal): Promise<ModelChange[]>
  /** Returns the consequences of reverting a change. */
  plan(version: number): Promise<Consequences>
  takeBack(version: number, acceptLoss: boolean): Promise<unknown>
  confirm(version: number): Promise<ModelChange[]>
}

interface TakeBackProps {
  /** The saved model or custom type. */
  of: Edited
  /** The key prefix of the cached queries that a revert invalidates. */
  queryKey: readonly unknown[]
  api: ChangesApi
  /** The models that use the custom type, for their names. Empty for a model. */
  models: readonly Model[]
  readOnly: boolean
  /** Whether documents are still being converted. */
  busy: boolean
}

/** Shows the latest change of fields that can still be reverted, with buttons to revert or to confirm it. */
export function TakeBack({ of, queryKey: key, api, models, readOnly, busy }: TakeBackProps) {
  const t = useTranslations('models.takeBack')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState<{ change: ModelChange; consequences: Consequences } | null>(null)
  const queryKey = [...key, 'changes', of._id, of.version]
  const { data: changes = [] } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.list(signal),
    enabled: !readOnly,
  })
  const [newest] = changes
  if (!newest) return null

  async function run(work: () => Promise<void>) {
    try {
      await work()
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  async function takeBack(change: ModelChange, acceptLoss: boolean) {
    setAsking(null)
    await api.takeBack(change.version, acceptLoss)
    await queryClient.invalidateQueries({ queryKey: key })
    toast.success(t('done'))
  }

  const askToTakeBack = (change: ModelChange) =>
    run(async () => {
      const consequences = await api.plan(change.version)
      if (hasConsequences(consequences)) setAsking({ change, consequences })
      else
        confirm({
          title: t('title'),
          message: t('text'),
          action: t('action'),
          run: () => takeBack(change, false),
        })
    })

  const askToConfirm = (change: ModelChange) =>
    confirm({
      title: t('confirmTitle'),
      message: t('confirmText'),
      action: t('confirm'),
      danger: true,
      run: async () => {
        queryClient.setQueryData(queryKey, await api.confirm(change.version))
      },
    })

  return (
    <>
      <Alert
        variant="light"
        mb={12}
        title={t('notice', {
          date: format.dateTime(new Date(newest.until), { dateStyle: 'medium', timeStyle: 'short' }),
        })}
      >
        <Stack gap="sm">
          <List size="sm">
            {newest.fields.map((field) => (
              <List.Item key={field.uid}>
                <FieldText {...field} />
              </List.Item>
            ))}
          </List>
          {changes.length > 1 && <Text size="sm">{t('older', { count: changes.length - 1 })}</Text>}
          <Group gap="sm">
            <Button
              variant="default"
              size="compact-sm"
              disabled={busy}
              onClick={() => void askToTakeBack(newest)}
            >
              {t('action')}
            </Button>
            <Button variant="subtle" size="compact-sm" onClick={() => askToConfirm(newest)}>
              {t('confirm')}
            </Button>
          </Group>
        </Stack>
      </Alert>
      {asking && (
        <ConsequencesDialog
          consequences={asking.consequences}
          base={draftOf(of)}
          models={models}
          isKept={false}
          action={asking.consequences.losses.length > 0 ? t('actionWithLoss') : t('action')}
          onCancel={() => setAsking(null)}
          onAccept={() => void run(() => takeBack(asking.change, true))}
        />
      )}
    </>
  )
}

function FieldText({ name, from, to }: ModelChange['fields'][number]) {
  const t = useTranslations('models')
  const typeOf = (type: string) => t(`types.${type as FieldTypeName}.name`)
  if (to === null) return t('takeBack.removed', { name })
  if (from === to) return t('takeBack.settings', { name })
  return t('takeBack.type', { name, from: typeOf(from), to: typeOf(to) })
}
