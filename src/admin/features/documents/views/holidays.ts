import { laterDay } from './month.ts'

/** Japan's holidays, as keys of `views.holidays`. */
export type Holiday =
  | 'newYear'
  | 'comingOfAge'
  | 'foundation'
  | 'emperor'
  | 'vernalEquinox'
  | 'showa'
  | 'accession'
  | 'constitution'
  | 'greenery'
  | 'children'
  | 'marine'
  | 'mountain'
  | 'aged'
  | 'autumnalEquinox'
  | 'sports'
  | 'healthSports'
  | 'enthronement'
  | 'culture'
  | 'labor'
  | 'citizens'
  | 'substitute'

/**
 * The first and last supported year. The rules implemented here start in 2007. Equinoxes are announced only a year
 * ahead; the formula used here is valid up to 2099.
 */
const [firstYear, lastYear] = [2007, 2099]

/** Holidays moved for the Olympic Games in 2020 and 2021. */
const moved: Record<number, Partial<Record<Holiday, string>>> = {
  2020: { marine: '07-23', sports: '07-24', mountain: '08-10' },
  2021: { marine: '07-22', sports: '07-23', mountain: '08-08' },
}

const years = new Map<number, ReadonlyMap<string, Holiday>>()

/**
 * Returns the Japanese holiday on a day (`2026-11-23`). undefined: no holiday, or an unsupported year. Source:
 * 国民の祝日に関する法律.
 */
export function holidayOn(day: string): Holiday | undefined {
  const year = Number(day.slice(0, 4))
  if (year < firstYear || year > lastYear) return undefined
  const known = years.get(year) ?? holidaysOf(year)
  years.set(year, known)
  return known.get(day)
}

function holidaysOf(year: number): Map<string, Holiday> {
  const named = new Map(datesOf(year).map(([holiday, date]) => [`${year}-${date}`, holiday]))
  const all = new Map(named)
  for (const day of named.keys()) {
    // A day between two holidays is a holiday too.
    const between = laterDay(day, 1)
    if (!named.has(between) && named.has(laterDay(day, 2))) all.set(between, 'citizens')
  }
  for (const day of named.keys()) {
    if (weekday(day) !== 0) continue
    let substitute = laterDay(day, 1)
    while (named.has(substitute)) substitute = laterDay(substitute, 1)
    all.set(substitute, 'substitute')
  }
  return all
}

function datesOf(year: number): [Holiday, string][] {
  const dates: [Holiday, string][] = [
    ['newYear', '01-01'],
    ['comingOfAge', monday(year, 1, 2)],
    ['foundation', '02-11'],
    ['vernalEquinox', `03-${equinox(year, 20.8431)}`],
    ['showa', '04-29'],
    ['constitution', '05-03'],
    ['greenery', '05-04'],
    ['children', '05-05'],
    ['marine', moved[year]?.marine ?? monday(year, 7, 3)],
    ['aged', monday(year, 9, 3)],
    ['autumnalEquinox', `09-${equinox(year, 23.2488)}`],
    [year < 2020 ? 'healthSports' : 'sports', moved[year]?.sports ?? monday(year, 10, 2)],
    ['culture', '11-03'],
    ['labor', '11-23'],
  ]
  if (year < 2019) dates.push(['emperor', '12-23'])
  if (year > 2019) dates.push(['emperor', '02-23'])
  if (year === 2019) dates.push(['accession', '05-01'], ['enthronement', '10-22'])
  if (year > 2015) dates.push(['mountain', moved[year]?.mountain ?? '08-11'])
  return dates
}

const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()
const two = (value: number) => String(value).padStart(2, '0')

/** Returns the n-th Monday (`which`) of a month, as `MM-DD`. */
function monday(year: number, month: number, which: number): string {
  const first = weekday(`${year}-${two(month)}-01`)
  return `${two(month)}-${two(1 + ((8 - first) % 7) + (which - 1) * 7)}`
}

/** Returns the day of the month of the equinox in Japan. Valid from 1980 to 2099. */
function equinox(year: number, in1980: number): number {
  const since = year - 1980
  return Math.floor(in1980 + 0.242194 * since) - Math.floor(since / 4)
}
