import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Maximum size of the JavaScript of a first visit, in bytes after gzip. */
const limit = 220_000
/** Maximum number of JavaScript files of a first visit. Without HTTP/2, a browser requests six at a time. */
const mostFiles = 20

const frame = 'features/shell/frame.tsx'
/**
 * Possible first pages: the pages for visitors, and the pages that users see first after signing in, with their frame.
 */
const firstPages = [
  ['features/accounts/login-page.tsx'],
  ['features/accounts/sign-up-page.tsx'],
  [frame, 'features/spaces/spaces-page.tsx'],
  [frame, 'features/apps/space-home-page.tsx'],
  [frame, 'features/apps/app-home-page.tsx'],
]
const firstTexts = ['i18n/messages.ja.ts', 'i18n/messages.en.ts']

/** The modules of an open document whose fields are plain text inputs. */
const documentPage = [
  'index.html',
  'i18n/messages.ja.ts',
  'i18n/editing.ja.ts',
  frame,
  'features/documents/document-editor-page.tsx',
  // The editor page preloads this module.
  'features/documents/editor/validation.ts',
]
/** Maximum additional download in bytes when an input is first shown, including all shared modules that it needs. */
const inputs = {
  'fields/rich-text/rich-text-field.tsx': 165_000,
  'fields/markdown/markdown-field.tsx': 150_000,
  'fields/asset/asset-field.tsx': 60_000,
  'fields/color/color-field.tsx': 60_000,
  'fields/date/date-field.tsx': 60_000,
  'fields/embed/embed-field.tsx': 60_000,
  'fields/map/map-field.tsx': 60_000,
  'fields/nested/nested-input.tsx': 60_000,
  'fields/sortable-items.tsx': 60_000,
  'fields/text/multiple-text-input.tsx': 60_000,
  'fields/text/slug-input.tsx': 60_000,
  'media/picker/asset-picker.tsx': 60_000,
  'ui/emoji-picker.tsx': 60_000,
}
/** CodeMirror is loaded with the Markdown field. For rich text, it is loaded only when a user opens the HTML source. */
const sourceView = ['fields/rich-text/source-view.tsx', 'fields/rich-text/rich-text-field.tsx']

const directory = resolve(process.argv[2] ?? 'dist/admin')
const manifest = JSON.parse(readFileSync(join(directory, '.vite/manifest.json'), 'utf8'))

/**
 * Returns the files that modules of the build need, except files that the modules in `without` need. Throws if the
 * build lacks a module.
 */
function filesOf(keys, without = new Set()) {
  const files = new Set()
  const seen = new Set()
  const collect = (key) => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The build has no ${key}`)
    if (seen.has(chunk.file)) return
    seen.add(chunk.file)
    if (!without.has(chunk.file)) files.add(chunk.file)
    for (const imported of chunk.imports ?? []) collect(imported)
  }
  for (const key of keys) collect(key)
  return files
}

const sizes = new Map()
function sizeOf(files) {
  let bytes = 0
  for (const file of files) {
    if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(join(directory, file))).length)
    bytes += sizes.get(file)
  }
  return bytes
}

const inKilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`

/** Prints a size with its maximum. If the size exceeds the maximum, the check fails. */
function report(bytes, most, what) {
  console.log(`${inKilobytes(bytes)} of ${inKilobytes(most)}  ${what}`)
  if (bytes <= most) return
  console.error(`Too large: ${what}`)
  process.exitCode = 1
}

function checkCount(files, page) {
  if (files.size <= mostFiles) return
  console.error(`Too many files: ${page} loads ${files.size}, the limit is ${mostFiles}`)
  process.exitCode = 1
}

for (const pages of firstPages)
  for (const texts of firstTexts) {
    const files = filesOf(['index.html', texts, ...pages])
    const page = pages.at(-1)
    report(sizeOf(files), limit, `first load, ${files.size} files  ${page}  ${texts}`)
    checkCount(files, page)
  }
for (const page of ['document-list-page', 'document-editor-page'].map(
  (name) => `features/documents/${name}.tsx`,
))
  checkCount(filesOf(['index.html', 'i18n/messages.ja.ts', 'i18n/editing.ja.ts', frame, page]), page)
const open = filesOf(documentPage)
for (const [input, most] of Object.entries(inputs)) report(sizeOf(filesOf([input], open)), most, input)
const [source, text] = sourceView.map((key) => filesOf([key], open))
const markdown = filesOf(['fields/markdown/markdown-field.tsx'], open)
const editor = [...source].filter((file) => markdown.has(file) && sizeOf([file]) > 40_000)
if (editor.length === 0 || editor.some((file) => text.has(file))) {
  console.error('CodeMirror is loaded together with rich text, or was not found in the build')
  process.exitCode = 1
}
