/**
 * Returns a function that formats times in the time zone:
 *
 * - `iso`: with the UTC offset, such as `2026-11-24T12:03:00+09:00`
 * - `spreadsheet`: in the form that spreadsheet programs recognise, such as `2026-11-24 12:03:00`
 */
export function localTimesIn(timeZone: string, form: 'iso' | 'spreadsheet'): (time: Date) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return (time) => {
    const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    // `GMT` alone is UTC. Offsets of local mean time (in Japan before 1888) have seconds, which ISO 8601 cannot
    // express.
    const [, sign, hours, minutes, seconds] = /^GMT(?:([+-])(\d\d):(\d\d)(:\d\d)?)?$/.exec(name) ?? []
    if (form === 'iso' && (!sign || seconds)) return time.toISOString()
    const distance = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds?.slice(1) ?? 0)
    const local = new Date(time.getTime() + distance * (sign === '-' ? -1000 : 1000)).toISOString()
    if (form === 'spreadsheet') return local.replace('T', ' ').replace(/\.\d+Z$/, '')
    return `${local.slice(0, -1).replace(/\.000$/, '')}${sign}${hours}:${minutes}`
  }
}
