import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { appsQuery, customTypesQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import type { Model } from '#shared/contract/models.ts'
import { usersOf } from './users.ts'

interface CopyDialogProps {
  place: { p: string; a: string }
  /** The models of this app. The path of the endpoint requires one of them. */
  models: readonly Model[]
  onClose: () => void
}

/** A dialog that copies a custom type from a model of another app. Types inside of the custom type are copied too. */
export function CopyDialog({ place: { p, a }, models, onClose }: CopyDialogProps) {
  const t = useTranslations('customTypes.copy')
  const common = useTranslations('common')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [from, setFrom] = useState<string | null>(null)
  const [uid, setUid] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [running, setRunning] = useState(false)
  const apps = useQuery(appsQuery(p)).data?.filter((app) => app.uid !== a) ?? []
  const enabled = from !== null
  const theirTypes = useQuery({ ...customTypesQuery(p, from ?? ''), enabled })
  const theirModels = useQuery({ ...modelsQuery(p, from ?? ''), enabled })
  const offered = (theirTypes.data ?? []).flatMap((type) => {
    const [user] = usersOf(type.uid, theirModels.data ?? [], theirTypes.data ?? []).models
    return user ? [{ type, user }] : []
  })
  const chosen = offered.find(({ type }) => type.uid === uid)
  const [into] = models
  const failed = theirTypes.error ?? theirModels.error

  async function copy() {
    if (!chosen || !into || from === null) return
    setRunning(true)
    setProblem(null)
    try {
      const { customFieldType, customFieldTypes } = await api(
        'POST /api/project/{p}/app/{a}/model/{m}/customFieldTypes',
        {
          params: { p, a, m: into.uid },
          body: { fromAppId: from, fromModelUid: chosen.user.uid, customFieldTypeName: chosen.type.name },
        },
      )
      await queryClient.invalidateQueries({ queryKey: customTypesQuery(p, a).queryKey })
      onClose()
      await navigate({ to: '/$p/$a/-/custom-types/$id', params: { p, a, id: customFieldType._id } })
      toast.success(t('done', { count: customFieldTypes.length }))
    } catch (error) {
      setProblem(reason(error))
    } finally {
      setRunning(false)
    }
  }

  /** Returns the text for a failure, with the names of the types or models that prevent the copy. */
  function reason(error: unknown): string {
    const details: Record<string, unknown> = error instanceof ApiError ? error.details : {}
    const named = (names: unknown) => (Array.isArray(names) && names.length > 0 ? names.join(', ') : null)
    const [types, needed] = [named(details.customFieldTypes), named(details.models)]
    if (types) return t('taken', { names: types })
    if (needed) return t('needsModels', { names: needed })
    return errorText(error)
  }

  return (
    <Dialog title={t('title')} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">{t('text')}</Text>
        <FormProblem text={problem ?? (failed ? errorText(failed) : into ? null : t('noModel'))} />
        <Select
          label={t('app')}
          nothingFoundMessage={t('noApps')}
          data={apps.map(({ uid: value, name }) => ({ value, label: name }))}
          value={from}
          allowDeselect={false}
          data-autofocus
          onChange={(app) => {
            setFrom(app)
            setUid(null)
            setProblem(null)
          }}
        />
        <Select
          label={t('type')}
          disabled={!theirTypes.data || !theirModels.data}
          nothingFoundMessage={t('noTypes')}
          data={offered.map(({ type }) => ({ value: type.uid, label: type.name }))}
          value={uid}
          allowDeselect={false}
          onChange={setUid}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {common('cancel')}
          </Button>
          <Button loading={running} disabled={!chosen || !into} onClick={() => void copy()}>
            {t('action')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
