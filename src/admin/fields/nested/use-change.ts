import { useCallback, useRef } from 'react'

/** Changes a value by what it is now. */
export type Change<Value> = (change: (value: Value) => Value) => void

/**
 * Changes the value of an input by what it is at that moment, also several times before it is drawn again. The same
 * function always: what is given it need not be drawn again.
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
