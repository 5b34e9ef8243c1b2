import { readStoredJson, storedKeys, writeStored } from '#admin/base/storage.ts'
import type { LeftValue } from './carry-values.ts'
import type { FormFields } from './form-fields.ts'
import type { Values } from './values.ts'

/** Unsaved input, stored in this browser until it is saved. */
export interface UnsavedCopy {
  values: Values
  /** The version that the input is based on. null: a new document. */
  version: number | null
  /** Time of the last change, in milliseconds since 1970. */
  at: number
  /** Whether the session ended during editing. Such a copy is restored without a question after the next sign-in. */
  resumes?: boolean
  /** The fields that the values belong to. A field keeps its `_id` when its uid changes. */
  form?: FormFields
  /** Values that fit no field. */
  left?: readonly LeftValue[]
}

export interface FoundCopy extends UnsavedCopy {
  key: string
}

const prefix = 'imori-unsaved'
/** Maximum age in milliseconds. Older copies are deleted. */
const maximumAge = 30 * 24 * 60 * 60 * 1000

/** Returns the key prefix of an account's copies of a document. Other accounts on the same computer do not see them. */
export function copiesOf(
  account: string,
  place: { p: string; a: string; m: string },
  document: string,
): string {
  return [prefix, account, place.p, place.a, place.m, document].map(encodeURIComponent).join('/')
}

/** Stores a copy. Storage errors are ignored, because the form still has the input. */
export function writeCopy(key: string, copy: UnsavedCopy): void {
  writeStored(key, JSON.stringify(copy))
}

export function removeCopy(key: string): void {
  writeStored(key, null)
}

/**
 * Returns the copies of earlier visits, newest first. `own`: key of this visit's copy. `alive`: keys that other open
 * tabs use. Copies with these keys are omitted. Deletes all stored copies that are broken or older than `maximumAge`.
 */
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

/**
 * Holds a lock on this key while the page is open, so that other tabs leave its copy alone. Returns a function that
 * releases it.
 */
export function holdKey(key: string): () => void {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // Locks are not available over plain http except on localhost. Without them, copies of other open tabs are offered
  // too.
  navigator.locks?.request(key, () => held).catch(() => undefined)
  return release
}

/** Returns the keys that open tabs have locked. */
export async function heldKeys(): Promise<ReadonlySet<string>> {
  try {
    const { held = [] } = (await navigator.locks?.query()) ?? {}
    return new Set(held.flatMap((lock) => (lock.name ? [lock.name] : [])))
  } catch {
    return new Set()
  }
}
