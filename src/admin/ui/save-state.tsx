import { Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import { spaceZone } from '#admin/base/space-zone.ts'

export type SaveStateValue =
  | { state: 'saved'; at: Date }
  | { state: 'unsaved' | 'saving' | 'offline' | 'conflict' | 'deleted' | 'failed' | 'new' }

const alarming: readonly SaveStateValue['state'][] = ['offline', 'conflict', 'deleted', 'failed']

/** The text about the state of the user's work: 12:03に保存済み, 保存中… */
export function SaveState({ value }: { value: SaveStateValue }) {
  const t = useTranslations('common.saveState')
  const format = useFormatter()
  const text =
    value.state === 'saved'
      ? t('saved', { time: format.dateTime(value.at, savedFormat(value.at)) })
      : t(value.state)
  return (
    <Text
      size="sm"
      c={alarming.includes(value.state) ? 'var(--mantine-color-error)' : 'dimmed'}
      role="status"
    >
      {text}
    </Text>
  )
}

/** Returns the format of a save time: the time for today, date and time for earlier days. */
function savedFormat(at: Date) {
  const dayOf = (time: Date) => time.toLocaleDateString('en', { timeZone: spaceZone() })
  const isToday = dayOf(at) === dayOf(new Date())
  const time = { hour: 'numeric', minute: '2-digit' } as const
  return isToday ? time : ({ ...time, year: 'numeric', month: 'short', day: 'numeric' } as const)
}
