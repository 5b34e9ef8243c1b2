import { useLocale, useTranslations } from 'use-intl'
import { spaceZone } from '#admin/base/space-zone.ts'

/** Returns the display name of the space's time zone: 日本時間（JST）. */
export function useZoneName(): string {
  const t = useTranslations('fields.date')
  const locale = useLocale()
  const timeZone = spaceZone()
  const known = `zones.${timeZone}` as 'zones.Asia/Tokyo'
  if (t.has(known)) return t(known)
  const part = (timeZoneName: 'longGeneric' | 'short') =>
    new Intl.DateTimeFormat(locale, { timeZone, timeZoneName })
      .formatToParts()
      .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
  return t('zoneName', { name: part('longGeneric'), short: part('short') })
}
