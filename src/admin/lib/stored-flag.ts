import { useState } from 'react'
import { readStored, writeStored } from '#admin/base/storage.ts'

/** A yes or no that this browser remembers under `key`. Works for this visit where storage is forbidden. */
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
