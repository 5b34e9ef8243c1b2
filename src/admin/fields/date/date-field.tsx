import '@mantine/dates/styles.layer.css'
import 'dayjs/locale/ja'
import { Group, Text } from '@mantine/core'
import { DateInput, type DateInputProps, TimeInput } from '@mantine/dates'
import dayjs from 'dayjs'
import { useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import classes from './date-field.module.css'
import { dayOf, dayValue, instantValue, readDay, timeOf, timeValue } from './date-values.ts'

/** A day, a time of day, or both. Days can be typed; the calendar opens beside. */
export function DateField(props: FieldInputProps<'DATE'>) {
  if (props.field.inputType === 'time') return <TimeOnly {...props} />
  if (props.field.inputType === 'date')
    return (
      <DayBox
        {...props}
        day={dayOf(props.value, 'date')}
        onDay={(day) => props.onChange(day === null ? undefined : dayValue(day))}
      />
    )
  return <DayAndTime {...props} />
}

function DayAndTime(props: FieldInputProps<'DATE'>) {
  const { field, value, onChange, onBlur, readOnly } = props
  const t = useTranslations('fields.date')
  const day = dayOf(value, 'datetime')
  const time = timeOf(value, 'datetime')
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

  function change(nextDay: string | null, nextTime: string) {
    onChange(nextDay === null ? undefined : (instantValue(nextDay, nextTime) ?? undefined))
  }

  return (
    <Group gap="xs" align="center">
      <DayBox {...props} day={day} onDay={(next) => change(next, time)} />
      <TimeInput
        aria-label={t('timeOf', { name: field.name })}
        value={time}
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

function DayBox({
  day,
  onDay,
  ...props
}: FieldInputProps<'DATE'> & { day: string | null; onDay: (day: string | null) => void }) {
  const t = useTranslations('fields.date')
  const locale = useLocale()
  const labels: DateInputProps['ariaLabels'] = {
    nextMonth: t('nextMonth'),
    previousMonth: t('previousMonth'),
    nextYear: t('nextYear'),
    previousYear: t('previousYear'),
    nextDecade: t('nextDecade'),
    previousDecade: t('previousDecade'),
  }
  return (
    <DateInput
      {...inputAria(props)}
      value={day}
      onChange={onDay}
      onBlur={props.onBlur}
      readOnly={props.readOnly}
      error={props.issues.length > 0}
      clearable={!props.readOnly}
      clearButtonProps={{ 'aria-label': t('clear'), 'aria-hidden': false, tabIndex: 0 }}
      allowDeselect
      locale={locale}
      firstDayOfWeek={0}
      valueFormat={(value) =>
        dayjs(value)
          .locale(locale)
          .format(locale === 'ja' ? 'YYYY年M月D日(ddd)' : 'MMM D, YYYY (ddd)')
      }
      dateParser={(typed) => readDay(typed) ?? readEnglishDay(typed)}
      yearLabelFormat={locale === 'ja' ? 'YYYY年' : 'YYYY'}
      monthLabelFormat={locale === 'ja' ? 'YYYY年M月' : 'MMMM YYYY'}
      placeholder={t('placeholder')}
      ariaLabels={labels}
      classNames={{ day: classes.day ?? '' }}
      popoverProps={{ withinPortal: true }}
      w={220}
    />
  )
}

/** `Nov 21, 2026 (Sat)`: what the box itself shows in English. */
function readEnglishDay(typed: string): string | null {
  const text = typed.replace(/\(.*\)/, '').trim()
  if (!/^[A-Za-z]{3,9} \d{1,2}, \d{4}$/.test(text)) return null
  const date = dayjs(text)
  return date.isValid() ? date.format('YYYY-MM-DD') : null
}

/** A native time box tells of complete times only; a half-typed one stays in the box. */
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
