import { relative } from 'node:path'

/** A path as one word of a command, in every shell. */
export function quoted(path: string): string {
  return /^[\w./\\:~-]+$/.test(path) ? path : `"${path}"`
}

/** A path as a person would type it: relative when it lies below. */
export function shown(path: string): string {
  const below = relative(process.cwd(), path)
  return below.startsWith('..') ? path : below || '.'
}
