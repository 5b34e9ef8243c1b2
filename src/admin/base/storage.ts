type Kind = 'localStorage' | 'sessionStorage'

/**
 * What this browser (or this tab) remembers under `key`; null for nothing. A storage that is forbidden, full or broken
 * remembers nothing: that only ever costs comfort.
 */
export function readStored(key: string, kind: Kind = 'localStorage'): string | null {
  try {
    return window[kind].getItem(key)
  } catch {
    return null
  }
}

/** Remembers a text; null forgets it. */
export function writeStored(key: string, value: string | null, kind: Kind = 'localStorage'): void {
  try {
    if (value === null) window[kind].removeItem(key)
    else window[kind].setItem(key, value)
  } catch {
    // It works for this visit.
  }
}

/** What was remembered as JSON; null for nothing, and for what is no JSON. */
export function readStoredJson(key: string, kind: Kind = 'localStorage'): unknown {
  try {
    return JSON.parse(readStored(key, kind) ?? 'null')
  } catch {
    return null
  }
}

/** The keys that begin so. */
export function storedKeys(prefix: string, kind: Kind = 'localStorage'): string[] {
  try {
    return Object.keys(window[kind]).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}
