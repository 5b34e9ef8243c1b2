import { useEffect, useState } from 'react'

/**
 * Debounces a search text: returns it once it has not changed for `delay` milliseconds, never during a composition.
 * Spread `composition` on the search box.
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
