import { Button, CloseButton, Group, Text } from '@mantine/core'
import { IconArrowBackUp, IconChevronDown, IconCircleCheck, IconTrash } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import classes from '../forms.module.css'
import type { InboxTab } from './inbox-search.ts'
import { StateMenu } from './state-menu.tsx'
import type { InboxAction } from './use-inbox-actions.tsx'

interface BulkBarProps {
  tab: InboxTab
  count: number
  onAct: (action: InboxAction) => void
  onClear: () => void
}

/** Actions on the selected submissions. */
export function BulkBar({ tab, count, onAct, onClear }: BulkBarProps) {
  const t = useTranslations('forms.inbox')
  return (
    <section className={classes.bulk} aria-label={t('bulk.label')}>
      <Text size="sm" fw={600} role="status">
        {t('bulk.selected', { count })}
      </Text>
      <CloseButton aria-label={t('bulk.clear')} onClick={onClear} />
      <Group gap="xs" ml="auto">
        {tab === 'trash' ? (
          <Button size="xs" leftSection={<IconArrowBackUp size={15} />} onClick={() => onAct('restore')}>
            {t('restore')}
          </Button>
        ) : (
          <>
            {tab !== 'done' && (
              <Button size="xs" leftSection={<IconCircleCheck size={15} />} onClick={() => onAct('done')}>
                {t('mark.done')}
              </Button>
            )}
            <StateMenu onChoose={onAct} {...(tab === 'all' ? {} : { current: tab })}>
              <Button size="xs" variant="default" rightSection={<IconChevronDown size={13} />}>
                {t('changeState')}
              </Button>
            </StateMenu>
            <Button
              size="xs"
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={15} />}
              onClick={() => onAct('trash')}
            >
              {t('toTrash')}
            </Button>
          </>
        )}
      </Group>
    </section>
  )
}
