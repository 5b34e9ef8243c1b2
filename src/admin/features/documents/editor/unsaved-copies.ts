import type { Values } from './values.ts'

/** What was typed but not saved, kept in this browser until it is. */
export interface UnsavedCopy {
  values: Values
  /** The version it was made from; null for a new document. */
  version: number | null
  /** When it was last changed, in milliseconds. */
  at: number
  /** The session ended in the middle of the work: whoever signs in again goes on with it, without being asked. */
  resumes?: boolean
}

export interface FoundCopy extends UnsavedCopy {
  key: string
}

const prefix = 'imori-unsaved'
/** A copy that nobody asked for in this time goes. */
const maximumAge = 30 * 24 * 60 * 60 * 1000

/** Whose copies of which document: another person at the same computer sees none of mine. */
export function copiesOf(
  account: string,
  place: { p: string; a: string; m: string },
  document: string,
): string {
  return [prefix, account, place.p, place.a, place.m, document].map(encodeURIComponent).join('/')
}

/** Keeps a copy; a full or forbidden storage is no reason to disturb anybody. */
export function writeCopy(key: string, copy: UnsavedCopy, storage: Storage = localStorage): void {
  try {
    storage.setItem(key, JSON.stringify(copy))
  } catch {
    // The form itself still has everything; the leave guard asks before it is lost.
  }
}

export function removeCopy(key: string, storage: Storage = localStorage): void {
  try {
    storage.removeItem(key)
  } catch {
    // Nothing was kept then either.
  }
}

/** Copies that earlier visits left, the newest first. `alive` names keys that another open tab still works on. */
export function findCopies(
  base: string,
  {
    own,
    alive,
    now = Date.now(),
    storage = localStorage,
  }: {
    own: string
    alive: ReadonlySet<string>
    now?: number
    storage?: Storage
  },
): FoundCopy[] {
  try {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter(
      (key): key is string => key?.startsWith(`${prefix}/`) ?? false,
    )
    const found: FoundCopy[] = []
    for (const key of keys) {
      const copy = readCopy(storage.getItem(key))
      if (!copy || now - copy.at > maximumAge) storage.removeItem(key)
      else if (key.startsWith(`${base}/`) && key !== own && !alive.has(key)) found.push({ key, ...copy })
    }
    return found.sort((a, b) => b.at - a.at)
  } catch {
    return []
  }
}

function readCopy(text: string | null): UnsavedCopy | null {
  try {
    const copy = JSON.parse(text ?? 'null') as UnsavedCopy | null
    const fine = typeof copy?.at === 'number' && typeof copy.values === 'object' && copy.values !== null
    return fine ? copy : null
  } catch {
    return null
  }
}

/** Tells other tabs that this key is in use, as long as the page lives. Answers how to let go. */
export function holdKey(key: string): () => void {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // Not there on plain http beside localhost: then copies of open tabs are offered, too.
  navigator.locks?.request(key, () => held).catch(() => undefined)
  return release
}

/** Keys that open tabs hold. */
export async function heldKeys(): Promise<ReadonlySet<string>> {
  try {
    const { held = [] } = (await navigator.locks?.query()) ?? {}
    return new Set(held.flatMap((lock) => (lock.name ? [lock.name] : [])))
  } catch {
    return new Set()
  }
}
