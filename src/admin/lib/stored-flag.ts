import { useState } from 'react'
import { readStored, writeStored } from '#admin/base/storage.ts'

/** A boolean that this browser stores under `key`. Where storage is forbidden it lasts for this visit. */
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
