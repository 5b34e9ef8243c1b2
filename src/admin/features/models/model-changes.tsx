import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { modelQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { ConversionNotice } from '#admin/ui/conversion-notice.tsx'
import type { Model, ModelChange } from '#shared/contract/models.ts'
import type { FieldTypeName } from '#shared/fields/index.ts'
import { draftOf } from './draft.ts'
import type { Loss } from './model-editing.ts'
import { LossDialog } from './save-dialogs.tsx'

interface ModelChangesProps {
  /** The model as the server has it. */
  model: Model
  place: { p: string; a: string }
  readOnly: boolean
}

/** How far documents have followed changes of the model, and the changes that can be taken back. */
export function ModelChanges({ model, place, readOnly }: ModelChangesProps) {
  const t = useTranslations('models.takeBack')
  const format = useFormatter()
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState<{ change: ModelChange; losses: Loss[] } | null>(null)
  const params = { ...place, m: model.uid }
  const { queryKey: modelKey } = modelQuery(place.p, place.a, model.uid)
  const queryKey = [...modelKey, 'changes', model.version]
  const { data: changes = [] } = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      (await api('GET /api/project/{p}/app/{a}/model/{m}/change', { params, signal })).changes,
    enabled: !readOnly,
  })
  const [newest] = changes

  async function run(work: () => Promise<void>) {
    try {
      await work()
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  const goOn = () =>
    run(async () => {
      const { model: next } = await api('POST /api/project/{p}/app/{a}/model/{m}/conversion', { params })
      queryClient.setQueryData(modelKey, next)
      toast.success(t('continued'))
    })

  async function takeBack(change: ModelChange, acceptLoss: boolean) {
    setAsking(null)
    await api('POST /api/project/{p}/app/{a}/model/{m}/change:takeBack', {
      params,
      body: { version: change.version, acceptLoss },
    })
    await queryClient.invalidateQueries({ queryKey: modelKey })
    toast.success(t('done'))
  }

  const askToTakeBack = (change: ModelChange) =>
    run(async () => {
      const { losses, documents } = await api('POST /api/project/{p}/app/{a}/model/{m}/change:takeBack', {
        params,
        body: { version: change.version, dryRun: true },
      })
      if (losses.length > 0)
        setAsking({ change, losses: losses.map((loss) => ({ ...loss, total: documents })) })
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
        const answer = await api('POST /api/project/{p}/app/{a}/model/{m}/change:confirm', {
          params,
          body: { version: change.version },
        })
        queryClient.setQueryData(queryKey, answer.changes)
      },
    })

  return (
    <>
      <ConversionNotice conversion={model.conversion} onContinue={readOnly ? undefined : () => void goOn()} />
      {newest && (
        <Alert
          variant="light"
          mb={12}
          title={t('notice', { date: format.dateTime(new Date(newest.until), { dateStyle: 'medium' }) })}
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
                disabled={model.conversion !== null}
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
      )}
      {asking && (
        <LossDialog
          losses={asking.losses}
          base={draftOf(model)}
          models={[]}
          isKept={false}
          action={t('actionWithLoss')}
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
