import { Select } from '@mantine/core'
import { useMemo } from 'react'
import { useLocale, useTranslations } from 'use-intl'
import { listLook } from '#admin/fields/list-look.ts'

interface TimeZoneSelectProps {
  value: string
  onChange: (timeZone: string) => void
  error: string | null | undefined
  readOnly: boolean
}

/** Selects a time zone by its common name or city. */
export function TimeZoneSelect({ value, onChange, error, readOnly }: TimeZoneSelectProps) {
  const t = useTranslations('spaces.settings')
  const locale = useLocale()
  const zones = useMemo(() => namedZones(locale, value), [locale, value])
  return (
    <Select
      {...listLook}
      name="timeZone"
      label={t('timeZone')}
      description={t('timeZoneHint')}
      data={zones}
      value={value}
      error={error}
      readOnly={readOnly}
      searchable
      limit={100}
      allowDeselect={false}
      nothingFoundMessage={t('noTimeZone')}
      onChange={(next) => next && onChange(next)}
    />
  )
}

/** Returns the selected time zone, UTC, and all time zones that the browser supports, with labels. */
function namedZones(locale: string, present: string): { value: string; label: string }[] {
  const now = new Date()
  const partOf = (timeZone: string, timeZoneName: 'longGeneric' | 'longOffset') =>
    new Intl.DateTimeFormat(locale, { timeZone, timeZoneName })
      .formatToParts(now)
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return [...new Set([present, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((value) => {
    try {
      const offset = partOf(value, 'longOffset').replace('GMT', 'UTC')
      const name = partOf(value, 'longGeneric')
      // Without a name, only the offset from UTC is shown.
      const isNamed = name !== '' && !name.startsWith('GMT')
      return { value, label: isNamed ? `${value} – ${name} (${offset})` : `${value} (${offset})` }
    } catch {
      return { value, label: value }
    }
  })
}
