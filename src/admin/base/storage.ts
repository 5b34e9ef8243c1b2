type Kind = 'localStorage' | 'sessionStorage'

/**
 * Returns the value stored under `key` in this browser (or tab), or null. Also returns null if the storage is forbidden
 * or broken.
 */
export function readStored(key: string, kind: Kind = 'localStorage'): string | null {
  try {
    return window[kind].getItem(key)
  } catch {
    return null
  }
}

/** Stores a text; null deletes the key. Ignores failures. */
export function writeStored(key: string, value: string | null, kind: Kind = 'localStorage'): void {
  try {
    if (value === null) window[kind].removeItem(key)
    else window[kind].setItem(key, value)
  } catch {
    // Storage may be forbidden or full.
  }
}

/** Returns the stored value parsed as JSON; null if it is missing or not valid JSON. */
export function readStoredJson(key: string, kind: Kind = 'localStorage'): unknown {
  try {
    return JSON.parse(readStored(key, kind) ?? 'null')
  } catch {
    return null
  }
}

/** Returns the stored keys with this prefix; none if the storage is forbidden. */
export function storedKeys(prefix: string, kind: Kind = 'localStorage'): string[] {
  try {
    return Object.keys(window[kind]).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}
