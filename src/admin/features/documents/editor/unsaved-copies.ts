import { readStoredJson, storedKeys, writeStored } from '#admin/base/storage.ts'
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

/** Keeps a copy. Where that fails, the form itself still has everything, and the leave guard asks before it is lost. */
export function writeCopy(key: string, copy: UnsavedCopy): void {
  writeStored(key, JSON.stringify(copy))
}

export function removeCopy(key: string): void {
  writeStored(key, null)
}

/** Copies that earlier visits left, the newest first. `alive` names keys that another open tab still works on. */
export function findCopies(
  base: string,
  {
    own,
    alive,
    now = Date.now(),
  }: {
    own: string
    alive: ReadonlySet<string>
    now?: number
  },
): FoundCopy[] {
  const found: FoundCopy[] = []
  for (const key of storedKeys(`${prefix}/`)) {
    const copy = readCopy(key)
    if (!copy || now - copy.at > maximumAge) removeCopy(key)
    else if (key.startsWith(`${base}/`) && key !== own && !alive.has(key)) found.push({ key, ...copy })
  }
  return found.sort((a, b) => b.at - a.at)
}

function readCopy(key: string): UnsavedCopy | null {
  const copy = readStoredJson(key) as UnsavedCopy | null
  const fine = typeof copy?.at === 'number' && typeof copy.values === 'object' && copy.values !== null
  return fine ? copy : null
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
