type Kind = 'localStorage' | 'sessionStorage'

/**
 * The value stored under `key` in this browser (or tab), or null. Returns null as well if the storage is forbidden or
 * broken: only convenience depends on it.
 */
export function readStored(key: string, kind: Kind = 'localStorage'): string | null {
  try {
    return window[kind].getItem(key)
  } catch {
    return null
  }
}

/** Stores a text; null deletes it. Failures are ignored. */
export function writeStored(key: string, value: string | null, kind: Kind = 'localStorage'): void {
  try {
    if (value === null) window[kind].removeItem(key)
    else window[kind].setItem(key, value)
  } catch {
    // The value then lasts for this visit only.
  }
}

/** The stored value parsed as JSON; null if there is none or it is not valid JSON. */
export function readStoredJson(key: string, kind: Kind = 'localStorage'): unknown {
  try {
    return JSON.parse(readStored(key, kind) ?? 'null')
  } catch {
    return null
  }
}

/** The stored keys with this prefix. */
export function storedKeys(prefix: string, kind: Kind = 'localStorage'): string[] {
  try {
    return Object.keys(window[kind]).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}
