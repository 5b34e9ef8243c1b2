import { List, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { modelQuery, modelsQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm, tell } from '#admin/ui/confirm.tsx'
import type { Model } from '#shared/contract/models.ts'
import { refersTo } from '#shared/fields/references.ts'

/**
 * Returns a function that deletes a model after the user has typed its name. If fields of other models refer to the
 * model, the function lists these fields instead.
 */
export function useDeleteModel({ p, a }: { p: string; a: string }) {
  const t = useTranslations('models.delete')
  const queryClient = useQueryClient()
  const navigate = useNavigate()

  async function remove(model: Model) {
    await api('DELETE /api/project/{p}/app/{a}/model/{m}', { params: { p, a, m: model.uid } })
    await queryClient.invalidateQueries({ queryKey: modelsQuery(p, a).queryKey })
    await navigate({ to: '/$p/$a', params: { p, a }, ignoreBlocker: true })
    queryClient.removeQueries({ queryKey: modelQuery(p, a, model.uid).queryKey })
    toast.success(t('done', { name: model.name }))
  }

  return (model: Model, models: readonly Model[]) => {
    const references = models
      .filter((other) => other.uid !== model.uid)
      .flatMap((other) =>
        other.fields
          .filter((field) => refersTo({ fields: [field] }, model.uid))
          .map((field) => ({ key: field._id, model: other.name, field: field.name })),
      )
    if (references.length > 0) {
      tell({
        title: t('referencedTitle'),
        message: (
          <Stack gap="sm">
            <Text size="sm">{t('referencedText')}</Text>
            <List size="sm">
              {references.map(({ key, ...names }) => (
                <List.Item key={key}>{t('referencedBy', names)}</List.Item>
              ))}
            </List>
          </Stack>
        ),
      })
      return
    }
    confirm({
      title: t('title', { name: model.name }),
      message: t('text', { count: model.documentCount }),
      action: t('action'),
      danger: true,
      typeName: model.name,
      run: () => remove(model),
    })
  }
}
