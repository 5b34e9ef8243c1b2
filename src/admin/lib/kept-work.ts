import { readStored, writeStored } from '#admin/base/storage.ts'

const key = 'imori-kept-work'

/** Records in this tab that the session ended during editing and that this browser has stored the unsaved input. */
export function markKeptWork(): void {
  writeStored(key, 'yes', 'sessionStorage')
}

export function hasKeptWork(): boolean {
  return readStored(key, 'sessionStorage') !== null
}

export function forgetKeptWork(): void {
  writeStored(key, null, 'sessionStorage')
}
