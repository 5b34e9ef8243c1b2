interface Tabbed {
  tab?: string | null | undefined
}

/** A tab of the form, with the fields on it. `name` null: what stands on none. */
export interface FormTab<F> {
  name: string | null
  fields: F[]
}

export const tabOf = ({ tab }: Tabbed): string | null => tab?.trim() || null

/** Fields by the tabs they stand on: tabs in the order in which the fields name them, which is theirs on each, too. */
export function tabsOf<F extends Tabbed>(fields: readonly F[]): FormTab<F>[] {
  const tabs = new Map<string | null, F[]>()
  for (const field of fields) {
    const name = tabOf(field)
    const on = tabs.get(name)
    if (on) on.push(field)
    else tabs.set(name, [field])
  }
  return [...tabs].map(([name, on]) => ({ name, fields: on }))
}
