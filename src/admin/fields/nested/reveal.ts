import { useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'

/** Functions that make an input show its inner part with the given name, by the input's element id. */
const openers = new Map<string, (name: string) => void>()

/**
 * Registers a function that shows a part of the input with this id. `open` receives the name of an inner field or the
 * index of an item.
 */
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

/** Returns whether the input with this id can already show its parts. */
export const canReveal = (id: string): boolean => openers.has(id)

/** Returns the element id of an inner part of an input. */
export const innerId = (id: string, name: string): string => (name === '' ? id : `${id}.${name}`)

/** Maximum wait for a part that is downloaded when it is first shown, in milliseconds. */
const patience = 10_000

/**
 * Expands every part on the path inside the input with this id.
 * @returns the element at the path, or the deepest one that exists. Null if the input does not exist, or if the focus
 * moved elsewhere in the meantime.
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
    // Each value of a multiple field has its own input. The first of them has the field's own id.
    const ids = open ? [innerId(at, name)] : [innerId(at, name), `${at}-${name}`]
    const inner = await find(ids, isOpened ? patience : 0)
    if (document.activeElement !== before) return null
    if (!inner) break
    element = inner
    at = inner.id
  }
  return element
}

const find = (ids: readonly string[], time: number): Promise<HTMLElement | null> =>
  whenThere(() => ids.map((id) => document.getElementById(id)).find((element) => element !== null), time)

/** Waits up to `time` milliseconds until `look` returns a value. Returns null after that time. */
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
