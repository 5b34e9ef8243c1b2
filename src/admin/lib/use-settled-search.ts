import { useEffect, useState } from 'react'

/**
 * Debounces a search text: returns the trimmed text after `delay` milliseconds without a change. Waits during a
 * composition. The props in `composition` belong to the search box.
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
