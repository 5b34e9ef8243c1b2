import { Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'

export type SaveStateValue =
  | { state: 'saved'; at: Date }
  | { state: 'unsaved' | 'saving' | 'offline' | 'conflict' | 'failed' | 'new' }

/** The permanent words on whether the work is safe: 12:03に保存済み, 保存中… Never a bare spinner. */
export function SaveState({ value }: { value: SaveStateValue }) {
  const t = useTranslations('common.saveState')
  const format = useFormatter()
  const text =
    value.state === 'saved'
      ? t('saved', { time: format.dateTime(value.at, { hour: '2-digit', minute: '2-digit' }) })
      : t(value.state)
  const alarming = value.state === 'offline' || value.state === 'conflict' || value.state === 'failed'
  return (
    <Text size="sm" c={alarming ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
      {text}
    </Text>
  )
}
