/** Time in milliseconds during which requests are collected before they are sent together. */
const moment = 10

type Waiting<Found> = Map<
  string,
  { resolve: (found: Found | null) => void; reject: (error: unknown) => void }[]
>

/**
 * Returns a function that loads a value by `_id` and resolves to null if the value does not exist. Calls within
 * `moment` are sent in requests of at most `most` ids. A request contains ids of only one `group`.
 */
export function askedTogether<Group, Found>(
  most: number,
  load: (group: Group, ids: string[]) => Promise<ReadonlyMap<string, Found>>,
): (group: Group, id: string) => Promise<Found | null> {
  const groups = new Map<string, Waiting<Found>>()

  async function ask(group: Group, ids: Waiting<Found>): Promise<void> {
    const all = [...ids.keys()]
    for (let start = 0; start < all.length; start += most) {
      const batch = all.slice(start, start + most)
      try {
        const found = await load(group, batch)
        for (const id of batch) for (const { resolve } of ids.get(id) ?? []) resolve(found.get(id) ?? null)
      } catch (error) {
        for (const id of batch) for (const { reject } of ids.get(id) ?? []) reject(error)
      }
    }
  }

  return (group, id) => {
    const key = JSON.stringify(group)
    return new Promise((resolve, reject) => {
      let waiting = groups.get(key)
      if (!waiting) {
        waiting = new Map()
        groups.set(key, waiting)
        setTimeout(() => {
          const due = groups.get(key)
          groups.delete(key)
          if (due) void ask(group, due)
        }, moment)
      }
      waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }])
    })
  }
}
