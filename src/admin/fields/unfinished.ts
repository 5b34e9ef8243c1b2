import { useEffect, useRef } from 'react'

const unfinished = new Set<() => Promise<void>>()

/** While `needed`, {@link finishInputs} waits for `finish`, which converts this input's typed text into a value. */
export function useUnfinished(needed: boolean, finish: () => Promise<void>): void {
  const latest = useRef(finish)
  latest.current = finish
  useEffect(() => {
    if (!needed) return
    const one = () => latest.current()
    unfinished.add(one)
    return () => void unfinished.delete(one)
  }, [needed])
}

/**
 * Waits until all inputs have converted their typed text into values. Does not throw: text that cannot be converted
 * stays as typed.
 */
export async function finishInputs(): Promise<void> {
  await Promise.allSettled([...unfinished].map((finish) => finish()))
}
