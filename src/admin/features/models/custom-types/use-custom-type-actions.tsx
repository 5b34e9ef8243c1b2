import { List, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { customTypesQuery } from '#admin/lib/queries.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm, tell } from '#admin/ui/confirm.tsx'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { Model } from '#shared/contract/models.ts'
import { usersOf } from './users.ts'

/** Returns functions that duplicate and delete a custom type. */
export function useCustomTypeActions({ p, a }: { p: string; a: string }) {
  const t = useTranslations('customTypes')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const changed = () => queryClient.invalidateQueries({ queryKey: customTypesQuery(p, a).queryKey })

  async function duplicate(type: CustomType, types: readonly CustomType[]): Promise<void> {
    const isTaken = (uid: string, name: string) =>
      types.some((other) => other.uid === uid || other.name === name)
    let number = 2
    const named = () => ({ uid: `${type.uid}${number}`, name: `${type.name} ${number}` })
    while (isTaken(named().uid, named().name)) number++
    const fields = type.fields.map(({ _id, ...field }) => field)
    try {
      const { customFieldType } = await api('POST /api/project/{p}/app/{a}/customFieldType', {
        params: { p, a },
        body: { data: { ...named(), description: type.description, fields } },
      })
      await changed()
      await navigate({ to: '/$p/$a/-/custom-types/$id', params: { p, a, id: customFieldType._id } })
      toast.success(t('duplicated', { name: customFieldType.name }))
    } catch (error) {
      toast.error(errorText(error))
    }
  }

  /** Deletes a custom type after confirmation. If models or types refer to it, lists them instead. */
  function remove(type: CustomType, models: readonly Model[], types: readonly CustomType[]): void {
    const { naming } = usersOf(type.uid, models, types)
    if (naming.length > 0) {
      tell({
        title: t('delete.usedTitle'),
        message: (
          <Stack gap="sm">
            <Text size="sm">{t('delete.usedText')}</Text>
            <List size="sm">
              {naming.map(({ _id, name }) => (
                <List.Item key={_id}>{name}</List.Item>
              ))}
            </List>
          </Stack>
        ),
      })
      return
    }
    confirm({
      title: t('delete.title', { name: type.name }),
      message: t('delete.text'),
      action: t('delete.action'),
      danger: true,
      run: async () => {
        await api('DELETE /api/project/{p}/app/{a}/customFieldType/{id}', { params: { p, a, id: type._id } })
        await navigate({ to: '/$p/$a/-/custom-types', params: { p, a }, ignoreBlocker: true })
        await changed()
        toast.success(t('delete.done', { name: type.name }))
      },
    })
  }

  return { duplicate, remove }
}
