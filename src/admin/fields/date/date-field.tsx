import '@mantine/dates/styles.layer.css'
import 'dayjs/locale/ja'
import { Group, Text } from '@mantine/core'
import { TimeInput } from '@mantine/dates'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { dayOf, dayValue, instantValue, timeOf, timeValue, unreadText } from './date-values.ts'
import { DayBox } from './day-box.tsx'
import { useZoneName } from './use-zone-name.ts'

/** The input of a date field: a day, a time of day, or both. */
export function DateField(props: FieldInputProps<'DATE'>) {
  if (props.field.inputType === 'time') return <TimeOnly {...props} />
  if (props.field.inputType === 'date')
    return (
      <DayBox
        {...props}
        day={dayOf(props.value, 'date')}
        unread={unreadText(props.value)}
        onUnread={props.onChange}
        onDay={(day) => props.onChange(day === null ? undefined : dayValue(day))}
      />
    )
  return <DayAndTime {...props} />
}

function DayAndTime(props: FieldInputProps<'DATE'>) {
  const { field, value, onChange, onBlur, readOnly } = props
  const t = useTranslations('fields.date')
  const day = dayOf(value, 'datetime')
  // Keeps the time while the day is being retyped.
  const kept = useRef('')
  if (day !== null) kept.current = timeOf(value, 'datetime')
  const time = kept.current
  const zone = useZoneName()

  function change(nextDay: string | null, nextTime: string) {
    if (nextDay === null) kept.current = ''
    onChange(nextDay === null ? undefined : (instantValue(nextDay, nextTime) ?? undefined))
  }

  return (
    <Group gap="xs" align="center">
      <DayBox
        {...props}
        day={day}
        unread={unreadText(value)}
        onUnread={onChange}
        onDay={(next) => change(next, time)}
      />
      <TimeInput
        aria-label={t('timeOf', { name: field.name })}
        value={day === null ? '' : time}
        readOnly={readOnly}
        error={props.issues.length > 0}
        disabled={day === null}
        withSeconds={time.length > 5}
        onBlur={onBlur}
        onChange={(event) => change(day, event.currentTarget.value)}
      />
      <Text size="xs" c="dimmed">
        {t('zone', { zone })}
      </Text>
    </Group>
  )
}

/** A native time input only reports complete times. An incomplete time stays in the input. */
function TimeOnly(props: FieldInputProps<'DATE'>) {
  const { value, onChange, onBlur, readOnly } = props
  const stored = timeOf(value, 'time')
  const [seconds] = useState(stored.length > 5)
  return (
    <TimeInput
      {...inputAria(props)}
      value={stored}
      readOnly={readOnly}
      error={props.issues.length > 0}
      withSeconds={seconds}
      onBlur={onBlur}
      onChange={(event) => {
        const time = event.currentTarget.value
        onChange(time ? timeValue(time) : undefined)
      }}
      w={160}
    />
  )
}
