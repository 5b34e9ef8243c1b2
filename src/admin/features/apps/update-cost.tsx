import { List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { modelsQuery } from '#admin/lib/queries.ts'
import type { TemplateUpdateCost } from '#shared/contract/templates.ts'

interface UpdateCostProps {
  p: string
  a: string
  cost: TemplateUpdateCost
  /** The first sentence: describes the pending action. */
  text: string
}

/** Describes a pending update, and the values and documents that would be lost. */
export function UpdateCost({ p, a, cost, text }: UpdateCostProps) {
  const t = useTranslations('templates.update')
  const { data: models = [] } = useQuery(modelsQuery(p, a))
  const { losses, removed, models: touched } = cost
  return (
    <Stack gap="sm">
      <Text size="sm">{text}</Text>
      {losses.length + removed.length > 0 && (
        <List size="sm">
          {removed.map(({ uid, name, documents }) => (
            <List.Item key={uid}>{t('undoRemoved', { name, count: documents })}</List.Item>
          ))}
          {losses.map(({ model, field, documents }) => {
            const own = models.find(({ uid }) => uid === model)
            return (
              <List.Item key={`${model} ${field}`}>
                {t('loss', {
                  model: own?.name ?? model,
                  field: own?.fields.find(({ uid }) => uid === field)?.name ?? field,
                  count: documents,
                  total: touched.find(({ uid }) => uid === model)?.documents ?? documents,
                })}
              </List.Item>
            )
          })}
        </List>
      )}
    </Stack>
  )
}
