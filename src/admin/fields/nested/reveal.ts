import { useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'

/** By the id of their element: inputs that show an inner part of theirs when they are told its name. */
const openers = new Map<string, (name: string) => void>()

/** The input of that id shows what lies in it: `open` is told the name of an inner field or the index of an item. */
export function useOpener(id: string, open: (name: string) => void): void {
  const latest = useRef(open)
  latest.current = open
  useEffect(() => {
    const own = (name: string) => latest.current(name)
    openers.set(id, own)
    return () => {
      if (openers.get(id) === own) openers.delete(id)
    }
  }, [id])
}

/** The id of what lies in an input, whose elements these ids name. */
export const innerId = (id: string, name: string): string => (name === '' ? id : `${id}.${name}`)

/** So long a part may take that is downloaded when it is first shown, in milliseconds. */
const patience = 10_000

/**
 * Opens the way to what a path names in the input of that id.
 * @returns the element to be focused; that of the last part that there is. Null when the focus went elsewhere meanwhile.
 */
export async function reveal(id: string, path: string): Promise<HTMLElement | null> {
  let at = id
  let isOpened = false
  let element = document.getElementById(id)
  const before = document.activeElement
  for (const name of path === '' ? [] : path.split('.')) {
    const open = openers.get(at)
    if (open) flushSync(() => open(name))
    isOpened ||= open !== undefined
    // Several plain values have inputs of their own, too; the first has the id of the field.
    const ids = open ? [innerId(at, name)] : [innerId(at, name), `${at}-${name}`]
    const inner = await find(ids, isOpened ? patience : 0)
    // Meanwhile somebody may have gone elsewhere.
    if (document.activeElement !== before) return null
    if (!inner) break
    element = inner
    at = inner.id
  }
  return element
}

const find = (ids: readonly string[], time: number): Promise<HTMLElement | null> =>
  whenThere(() => ids.map((id) => document.getElementById(id)).find((element) => element !== null), time)

/** What `look` finds, at the latest after so many milliseconds; null when there is nothing by then. */
export async function whenThere<Found>(
  look: () => Found | null | undefined,
  time: number = patience,
): Promise<Found | null> {
  const until = performance.now() + time
  for (;;) {
    const found = look()
    if (found != null) return found
    if (performance.now() >= until) return null
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}
