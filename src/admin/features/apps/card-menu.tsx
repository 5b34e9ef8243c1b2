import { ActionIcon, Menu } from '@mantine/core'
import { IconArrowLeft, IconArrowRight, IconDots } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl'
import { moved } from './moved.ts'

interface CardMenuProps<Item> {
  /** The name of the item that the card shows. */
  name: string
  items: readonly Item[]
  index: number
  onReorder: (order: Item[]) => void
  children: ReactNode
}

/**
 * The menu of a card: the given actions (`children`), and actions that move the item forward or back by one position.
 */
export function CardMenu<Item>({ name, items, index, onReorder, children }: CardMenuProps<Item>) {
  const t = useTranslations('apps')
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('actionsOf', { name })}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconArrowLeft size={16} />}
          disabled={index === 0}
          onClick={() => onReorder(moved(items, index, -1))}
        >
          {t('moveForward')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowRight size={16} />}
          disabled={index === items.length - 1}
          onClick={() => onReorder(moved(items, index, 1))}
        >
          {t('moveBack')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
