import { readStoredJson, storedKeys, writeStored } from '#admin/base/storage.ts'
import type { LeftValue } from './carry-values.ts'
import type { FormFields } from './form-fields.ts'
import type { Values } from './values.ts'

/** Unsaved input, kept in this browser until it is saved. */
export interface UnsavedCopy {
  values: Values
  /** The version it is based on; null for a new document. */
  version: number | null
  /** When it was last changed, in milliseconds. */
  at: number
  /** The session ended during editing: it is restored without asking after the next sign-in. */
  resumes?: boolean
  /** The fields that the values belong to: a field keeps its `_id` when its uid changes. */
  form?: FormFields
  /** Values without a field. */
  left?: readonly LeftValue[]
}

export interface FoundCopy extends UnsavedCopy {
  key: string
}

const prefix = 'imori-unsaved'
/** Older copies are deleted. */
const maximumAge = 30 * 24 * 60 * 60 * 1000

/** The key prefix of a person's copies of a document; other people on the same computer do not see them. */
export function copiesOf(
  account: string,
  place: { p: string; a: string; m: string },
  document: string,
): string {
  return [prefix, account, place.p, place.a, place.m, document].map(encodeURIComponent).join('/')
}

/** Stores a copy. If that fails, the form still has the input, and the leave guard asks before it is lost. */
export function writeCopy(key: string, copy: UnsavedCopy): void {
  writeStored(key, JSON.stringify(copy))
}

export function removeCopy(key: string): void {
  writeStored(key, null)
}

/** The copies of earlier visits, newest first. `alive` lists keys that another open tab is using. */
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

/** Holds a lock that tells other tabs that this key is in use while the page lives. Returns a function that releases it. */
export function holdKey(key: string): () => void {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // Not available over plain http except on localhost; there, copies of open tabs are offered too.
  navigator.locks?.request(key, () => held).catch(() => undefined)
  return release
}

/** The keys that open tabs hold. */
export async function heldKeys(): Promise<ReadonlySet<string>> {
  try {
    const { held = [] } = (await navigator.locks?.query()) ?? {}
    return new Set(held.flatMap((lock) => (lock.name ? [lock.name] : [])))
  } catch {
    return new Set()
  }
}
