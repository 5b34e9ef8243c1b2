import { relative } from 'node:path'

/** A path as one argument, in every shell. */
export function quoted(path: string): string {
  return /^[\w./\\:~-]+$/.test(path) ? path : `"${path}"`
}

/** A path relative to the working directory when it is below it. */
export function shown(path: string): string {
  const below = relative(process.cwd(), path)
  return below.startsWith('..') ? path : below || '.'
}
