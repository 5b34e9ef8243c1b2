const key = 'imori-kept-work'

/** The session ended while something was typed; this browser has kept it. Remembered for this tab. */
export function markKeptWork(storage: Storage = sessionStorage): void {
  try {
    storage.setItem(key, 'yes')
  } catch {
    // Then it cannot be said, but is kept all the same.
  }
}

export function hasKeptWork(storage: Storage = sessionStorage): boolean {
  try {
    return storage.getItem(key) !== null
  } catch {
    return false
  }
}

export function forgetKeptWork(storage: Storage = sessionStorage): void {
  try {
    storage.removeItem(key)
  } catch {
    // Nothing was remembered either.
  }
}
