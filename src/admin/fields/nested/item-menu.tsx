import { ActionIcon, Menu } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowUp,
  IconClipboardCopy,
  IconClipboardPlus,
  IconCopy,
  IconDots,
  IconRowInsertBottom,
  IconRowInsertTop,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useCopied } from './copied.ts'
import type { ItemActions } from './use-item-actions.ts'

interface ItemMenuProps {
  name: string
  index: number
  isFirst: boolean
  isLast: boolean
  full: boolean
  several: boolean
  actions: ItemActions
}

/** The menu of an item. It is mounted when it is first opened, because there may be hundreds of items. */
export function ItemMenu(props: ItemMenuProps) {
  const t = useTranslations('fields.nested')
  const [wanted, setWanted] = useState(false)
  const { name, index, actions } = props
  const target = (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={t('actionsOf', { name })}
      aria-haspopup="menu"
      {...(wanted ? {} : { onClick: () => setWanted(true) })}
    >
      <IconDots size={18} />
    </ActionIcon>
  )
  if (!wanted) return target
  return (
    <Menu defaultOpened position="bottom-end" width={210}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {props.several && (
          <>
            <Menu.Item
              leftSection={<IconRowInsertTop size={16} />}
              disabled={props.full}
              onClick={() => actions.insert(index)}
            >
              {t('insertAbove')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconRowInsertBottom size={16} />}
              disabled={props.full}
              onClick={() => actions.insert(index + 1)}
            >
              {t('insertBelow')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconCopy size={16} />}
              disabled={props.full}
              onClick={() => actions.duplicate(index)}
            >
              {t('duplicate')}
            </Menu.Item>
          </>
        )}
        <Menu.Item leftSection={<IconClipboardCopy size={16} />} onClick={() => actions.copy(index)}>
          {t('copy')}
        </Menu.Item>
        {props.several && (
          <>
            <PasteItem full={props.full} paste={() => actions.paste(index)} />
            <Menu.Item
              leftSection={<IconArrowUp size={16} />}
              disabled={props.isFirst}
              onClick={() => actions.move(index, index - 1)}
            >
              {t('up')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconArrowDown size={16} />}
              disabled={props.isLast}
              onClick={() => actions.move(index, index + 1)}
            >
              {t('down')}
            </Menu.Item>
          </>
        )}
        <Menu.Divider />
        <Menu.Item
          color="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} />}
          onClick={() => actions.remove(index)}
        >
          {t('remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** A separate component, so that only the open menu subscribes to the store. */
function PasteItem({ full, paste }: { full: boolean; paste: () => void }) {
  const t = useTranslations('fields.nested')
  if (useCopied() === null) return null
  return (
    <Menu.Item leftSection={<IconClipboardPlus size={16} />} disabled={full} onClick={paste}>
      {t('pasteBelow')}
    </Menu.Item>
  )
}
