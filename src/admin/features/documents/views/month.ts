/** A month of a calendar, `2026-11`. */
export type Month = string

const iso = (date: Date) => date.toISOString().slice(0, 10)

export const monthOf = (day: string): Month => day.slice(0, 7)

/** Returns the month `by` months later. */
export function laterMonth(month: Month, by: number): Month {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return iso(new Date(Date.UTC(year, number - 1 + by, 1))).slice(0, 7)
}

/** Returns the day `by` days later, such as `2026-11-21`. */
export function laterDay(day: string, by: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + by)
  return iso(date)
}

/** Returns the weeks of a month, each from Sunday to Saturday. */
export function weeksOf(month: Month): string[][] {
  const first = `${month}-01`
  const start = laterDay(first, -new Date(`${first}T00:00:00Z`).getUTCDay())
  const weeks: string[][] = []
  for (let day = start; day < `${laterMonth(month, 1)}-01`; day = laterDay(day, 7))
    weeks.push(Array.from({ length: 7 }, (_, index) => laterDay(day, index)))
  return weeks
}
