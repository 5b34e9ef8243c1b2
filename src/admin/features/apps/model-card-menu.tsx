import { Menu, Text } from '@mantine/core'
import { IconArrowsSort, IconLayoutList, IconStack2 } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { loadScript } from '#admin/base/reload-guard.ts'
import { loadEditingTexts } from '#admin/i18n/messages.ts'
import type { Model } from '#shared/contract/models.ts'
import { CardMenu } from './card-menu.tsx'
import { useModelOrder } from './use-reorder.ts'

interface ModelCardMenuProps {
  p: string
  a: string
  models: Model[]
  index: number
}

/** Opens the dialog to reorder models; its code is loaded on demand. */
async function openModelOrderDialog(p: string, a: string, title: string) {
  const [dialog] = await Promise.all([
    loadScript(() => import('./model-order-dialog.tsx')),
    loadEditingTexts(),
  ])
  dialog.openModelOrderDialog(p, a, title)
}

/**
 * The menu of a model in the list: opens its fields, duplicates it, and moves it in the list and in the navigation
 * rail.
 */
export function ModelCardMenu({ p, a, models, index }: ModelCardMenuProps) {
  const t = useTranslations('apps')
  const reorder = useModelOrder(p, a)
  const model = models[index]
  if (!model) return null
  return (
    <CardMenu name={model.name} items={models} index={index} onReorder={reorder.mutate}>
      <Menu.Item
        leftSection={<IconLayoutList size={16} />}
        renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/model" params={{ p, a, m: model.uid }} />}
      >
        {t('editStructure')}
        <Text size="xs" c="dimmed">
          {t('editStructureText')}
        </Text>
      </Menu.Item>
      <Menu.Item
        leftSection={<IconStack2 size={16} />}
        renderRoot={(props) => <Link {...props} to="/$p/$a/$m/-/duplicate" params={{ p, a, m: model.uid }} />}
      >
        {t('duplicateModel')}
      </Menu.Item>
      {models.length > 1 && (
        <Menu.Item
          leftSection={<IconArrowsSort size={16} />}
          onClick={() => void openModelOrderDialog(p, a, t('order'))}
        >
          {t('order')}
        </Menu.Item>
      )}
    </CardMenu>
  )
}
