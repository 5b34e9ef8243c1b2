import { relative } from 'node:path'

/** Returns a path as a single argument for every shell. */
export function quoted(path: string): string {
  return /^[\w./\\:~-]+$/.test(path) ? path : `"${path}"`
}

/** Returns a path inside the working directory relative to it, and any other path unchanged. */
export function shown(path: string): string {
  const below = relative(process.cwd(), path)
  return below.startsWith('..') ? path : below || '.'
}
