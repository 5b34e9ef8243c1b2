import { Menu, Text } from '@mantine/core'
import { IconLayoutList } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { modelsQuery } from '#admin/lib/queries.ts'
import type { Model } from '#shared/contract/models.ts'
import { CardMenu } from './card-menu.tsx'
import { useReorder } from './use-reorder.ts'

interface ModelCardMenuProps {
  p: string
  a: string
  models: Model[]
  index: number
}

/** What else can be done with a model of the list: its structure, its place in the order (the rail's, too). */
export function ModelCardMenu({ p, a, models, index }: ModelCardMenuProps) {
  const t = useTranslations('apps')
  const reorder = useReorder<Model>(modelsQuery(p, a).queryKey, (order) =>
    api('POST /api/project/{p}/app/{a}/model:updateOrder', {
      params: { p, a },
      body: { modelIds: order.map((model) => model.uid) },
    }),
  )
  const model = models[index]
  if (!model) return null
  return (
    <CardMenu name={model.name} items={models} index={index} onReorder={reorder.mutate}>
      <Menu.Item
        leftSection={<IconLayoutList size={16} />}
        renderRoot={(props) => <Link {...props} to="/$p/$a/$m/model" params={{ p, a, m: model.uid }} />}
      >
        {t('editStructure')}
        <Text size="xs" c="dimmed">
          {t('editStructureText')}
        </Text>
      </Menu.Item>
    </CardMenu>
  )
}
