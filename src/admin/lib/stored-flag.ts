import { useState } from 'react'
import { readStored, writeStored } from '#admin/base/storage.ts'

/**
 * Returns a boolean that this browser stores under `key`, and a function that sets it. If storage is forbidden, the
 * value lasts while the component is mounted.
 */
export function useStoredFlag(key: string): [boolean, (next: boolean) => void] {
  const [flag, setFlag] = useState(() => readStored(key) === '1')
  return [
    flag,
    (next) => {
      setFlag(next)
      writeStored(key, next ? '1' : null)
    },
  ]
}
