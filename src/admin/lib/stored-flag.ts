import { useState } from 'react'

/** A yes or no that this browser remembers under `key`. Works for this visit where storage is forbidden. */
export function useStoredFlag(key: string): [boolean, (next: boolean) => void] {
  const [flag, setFlag] = useState(() => {
    try {
      return localStorage.getItem(key) === '1'
    } catch {
      return false
    }
  })
  return [
    flag,
    (next) => {
      setFlag(next)
      try {
        if (next) localStorage.setItem(key, '1')
        else localStorage.removeItem(key)
      } catch {
        // Kept for this visit only.
      }
    },
  ]
}
