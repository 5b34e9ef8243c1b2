import { useEffect, useState } from 'react'

/**
 * What to search for while somebody types: the text once it has rested for `delay` milliseconds, never in the middle
 * of a composition. Spread `composition` on the search box.
 */
export function useSettledSearch(typed: string, delay = 250) {
  const [text, setText] = useState(typed.trim())
  const [composing, setComposing] = useState(false)
  useEffect(() => {
    if (composing) return
    const timer = setTimeout(() => setText(typed.trim()), delay)
    return () => clearTimeout(timer)
  }, [typed, composing, delay])
  return {
    text,
    composition: {
      onCompositionStart: () => setComposing(true),
      onCompositionEnd: () => setComposing(false),
    },
  }
}
