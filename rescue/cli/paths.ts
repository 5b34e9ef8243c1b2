import { relative } from 'node:path'

/** Returns a path for a command line: in double quotes if it contains special characters. */
export function quoted(path: string): string {
  return /^[\w./\\:~-]+$/.test(path) ? path : `"${path}"`
}

/** Returns a path inside the working directory relative to it, and any other path unchanged. */
export function shown(path: string): string {
  const below = relative(process.cwd(), path)
  return below.startsWith('..') ? path : below || '.'
}
