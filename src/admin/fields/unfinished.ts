import { useEffect, useRef } from 'react'

const unfinished = new Set<() => Promise<void>>()

/** While `needed`, whoever saves the document waits until this input has made a value of what was typed in it. */
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

/** Lets all inputs on the page make values of what was typed in them. Throws nothing: what cannot be one, stays as typed. */
export async function finishInputs(): Promise<void> {
  await Promise.allSettled([...unfinished].map((finish) => finish()))
}
