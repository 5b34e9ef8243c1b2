import { useFormatter } from 'use-intl'

/** A point in time as date and time, in the time zone of the `IntlProvider`: in a space, the space's time zone. */
export function Time({ at }: { at: string }) {
  const format = useFormatter()
  return (
    <time dateTime={at} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {format.dateTime(new Date(at), { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  )
}
