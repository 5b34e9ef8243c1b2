import { ActionIcon, Button, CloseButton, Popover, Text, TextInput } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { IconCalendar } from '@tabler/icons-react'
import dayjs from 'dayjs'
import { type KeyboardEvent, useState } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { insideLandmark } from '../list-look.ts'
import classes from './date-field.module.css'
import { inJapaneseEra, readDay } from './date-values.ts'

interface DayBoxProps extends FieldInputProps<'DATE'> {
  /** The day, such as `2026-04-01`; null if no valid day is entered. */
  day: string | null
  unread: string
  onDay: (day: string | null) => void
  /** Called with typed text that is not a day. */
  onUnread: (text: string) => void
}

/** An input for a day, with a calendar. Typed text stays as it is until the input loses the focus. */
export function DayBox({ day, unread, onDay, onUnread, ...props }: DayBoxProps) {
  const t = useTranslations('fields.date')
  const locale = useLocale()
  const [typed, setTyped] = useState<string | null>(null)
  const [open, setOpen] = useState(false)
  /**
   * The control that opened the calendar. After a click into the text box, the focus stays in the box. The button moves
   * the focus to the calendar, and closing the calendar returns it to the button.
   */
  const [opener, setOpener] = useState<'box' | 'button'>('box')
  const shown = typed ?? (day === null ? unread : written(day, locale))

  function type(text: string) {
    setTyped(text)
    const read = readDay(text)
    if (text.trim() === '') onDay(null)
    else if (read === null) onUnread(text)
    else onDay(read)
  }

  function show(by: 'box' | 'button') {
    setOpener(by)
    setOpen(true)
  }

  function choose(next: string | null) {
    setTyped(null)
    setOpen(false)
    onDay(next)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event) || event.key !== 'Escape' || !open) return
    event.stopPropagation()
    setOpen(false)
  }

  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-start"
      portalProps={insideLandmark}
      trapFocus={opener === 'button'}
      returnFocus={opener === 'button'}
      withRoles={false}
      // The calendar may have the focus, which would be lost if the popover were hidden on scrolling.
      hideDetached={false}
      shadow="md"
    >
      <Popover.Target>
        <TextInput
          {...inputAria(props)}
          value={shown}
          readOnly={props.readOnly}
          error={props.issues.length > 0}
          autoComplete="off"
          placeholder={t('placeholder')}
          w={220}
          onChange={(event) => type(event.currentTarget.value)}
          onClick={() => !open && !props.readOnly && show('box')}
          onKeyDown={onKeyDown}
          onBlur={() => {
            setTyped(null)
            if (opener === 'box') setOpen(false)
            props.onBlur()
          }}
          {...(props.readOnly
            ? {}
            : {
                rightSectionWidth: shown ? 62 : 34,
                rightSection: (
                  <>
                    {shown && <CloseButton size="sm" aria-label={t('clear')} onClick={() => choose(null)} />}
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={28}
                      aria-label={t('open')}
                      aria-expanded={open}
                      onClick={() => show('button')}
                    >
                      <IconCalendar size={17} />
                    </ActionIcon>
                  </>
                ),
              })}
        />
      </Popover.Target>
      <Popover.Dropdown
        role="dialog"
        aria-label={t('calendarOf', { name: props.field.name })}
        // Keeps the focus in the text box if it is there.
        onMouseDown={(event) => event.preventDefault()}
      >
        <Calendar day={day} onDay={choose} />
        {day !== null && <JapaneseEra day={day} />}
      </Popover.Dropdown>
    </Popover>
  )
}

function JapaneseEra({ day }: { day: string }) {
  const t = useTranslations('fields.date')
  const [shown, setShown] = useState(false)
  return shown ? (
    <Text size="sm" ta="center" role="status">
      {inJapaneseEra(day)}
    </Text>
  ) : (
    <Button size="compact-xs" variant="subtle" color="gray" fullWidth onClick={() => setShown(true)}>
      {t('era')}
    </Button>
  )
}

function written(day: string, locale: string): string {
  return dayjs(day)
    .locale(locale)
    .format(locale === 'ja' ? 'YYYY年M月D日(ddd)' : 'MMM D, YYYY (ddd)')
}

/** A calendar for one month. It shows the month of `day` until the user selects another month. */
function Calendar({ day, onDay }: { day: string | null; onDay: (day: string | null) => void }) {
  const t = useTranslations('fields.date')
  const locale = useLocale()
  const [looked, setLooked] = useState({ month: day, at: day })
  const month = looked.at === day ? looked.month : day
  return (
    <DatePicker
      value={day}
      onChange={onDay}
      {...(month === null ? {} : { date: month })}
      onDateChange={(next) => setLooked({ month: next, at: day })}
      allowDeselect
      locale={locale}
      firstDayOfWeek={0}
      yearLabelFormat={locale === 'ja' ? 'YYYY年' : 'YYYY'}
      monthLabelFormat={locale === 'ja' ? 'YYYY年M月' : 'MMMM YYYY'}
      ariaLabels={{
        nextMonth: t('nextMonth'),
        previousMonth: t('previousMonth'),
        nextYear: t('nextYear'),
        previousYear: t('previousYear'),
        nextDecade: t('nextDecade'),
        previousDecade: t('previousDecade'),
      }}
      getDayProps={(date) => ({ 'data-weekday': dayjs(date).day() })}
      classNames={{ day: classes.day ?? '', weekdaysRow: classes.weekdays ?? '' }}
    />
  )
}
