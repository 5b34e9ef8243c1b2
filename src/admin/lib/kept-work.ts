import { readStored, writeStored } from '#admin/base/storage.ts'

const key = 'imori-kept-work'

/** The session ended while something was typed; this browser has kept it. Remembered for this tab. */
export function markKeptWork(): void {
  writeStored(key, 'yes', 'sessionStorage')
}

export function hasKeptWork(): boolean {
  return readStored(key, 'sessionStorage') !== null
}

export function forgetKeptWork(): void {
  writeStored(key, null, 'sessionStorage')
}
