interface Tabbed {
  tab?: string | null | undefined
}

/** A tab of the form and its fields. `name` null: the fields that have no tab. */
export interface FormTab<F> {
  name: string | null
  fields: F[]
}

export const tabOf = ({ tab }: Tabbed): string | null => tab?.trim() || null

/** Groups fields by tab. Tabs are in the order of their first field, and fields keep their order. */
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
