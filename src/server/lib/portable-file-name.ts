import { replaceInvisible } from '#shared/unicode.ts'

/** Returns a file name that all operating systems accept, without an ending, from names: `Blog_Articles`. */
export const portableFileName = (...names: string[]): string =>
  names
    .map((name) =>
      replaceInvisible(name, '')
        .replace(/[\\/:*?"<>|]+/g, '-')
        .trim(),
    )
    .join('_')
