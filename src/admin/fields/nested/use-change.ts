import { useCallback, useRef } from 'react'

/** Updates a value with a function of its current value. */
export type Change<Value> = (change: (value: Value) => Value) => void

/**
 * Returns a stable function that updates the input's value from its current state. It can be called several times
 * before the next render.
 */
export function useChange<Value>(value: Value, onChange: (value: Value) => void): Change<Value> {
  const latest = useRef({ value, onChange })
  latest.current = { value, onChange }
  return useCallback((change) => {
    const { current } = latest
    current.value = change(current.value)
    current.onChange(current.value)
  }, [])
}
