import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

/** The most JavaScript that a first visit may download, in bytes after gzip. */
const limit = 220_000

const frame = 'features/shell/frame.tsx'
/** What may come first: the page of a visitor, and those on which signed-in people arrive, in their frame. */
const firstPages = [
  ['features/accounts/login-page.tsx'],
  ['features/accounts/sign-up-page.tsx'],
  [frame, 'features/spaces/spaces-page.tsx'],
  [frame, 'features/apps/space-home-page.tsx'],
  [frame, 'features/apps/app-home-page.tsx'],
]
const firstTexts = ['i18n/messages.ja.ts', 'i18n/messages.en.ts']

/**
 * What a first visit downloads of a built admin: the entry, the texts of one language and the page, each with all that
 * it imports. Returns `[{ page, texts, bytes, files }]`, bytes after gzip, largest first.
 * Throws when the build has no manifest or lacks one of the pages.
 */
function firstLoads(directory) {
  const manifest = JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8'))
  const sizes = new Map()
  const sizeOf = (file) => {
    if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(join(directory, file))).length)
    return sizes.get(file)
  }
  const collect = (key, files) => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The build has no ${key}`)
    if (files.has(chunk.file)) return files
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) collect(imported, files)
    return files
  }
  const loads = firstPages.flatMap((pages) =>
    firstTexts.map((texts) => {
      const files = new Set()
      for (const key of ['index.html', texts, ...pages]) collect(key, files)
      const bytes = [...files].reduce((sum, file) => sum + sizeOf(file), 0)
      return { page: pages.at(-1), texts, bytes, files: [...files] }
    }),
  )
  return loads.sort((one, other) => other.bytes - one.bytes)
}

const loads = firstLoads(resolve(process.argv[2] ?? 'dist/admin'))
const inKilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`
for (const { page, texts, bytes, files } of loads)
  console.log(`${inKilobytes(bytes)}  ${files.length} files  ${page}  ${texts}`)
if (loads[0].bytes > limit) {
  console.error(`The first load is larger than ${inKilobytes(limit)}`)
  process.exitCode = 1
}
