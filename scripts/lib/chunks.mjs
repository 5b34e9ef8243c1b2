/** The entry pages, and the pages that users open most. */
const pages = {
  start: 'index.html',
  login: 'features/accounts/login-page.tsx',
  signUp: 'features/accounts/sign-up-page.tsx',
  frame: 'features/shell/frame.tsx',
  spaces: 'features/spaces/spaces-page.tsx',
  space: 'features/apps/space-home-page.tsx',
  app: 'features/apps/app-home-page.tsx',
  list: 'features/documents/document-list-page.tsx',
  editor: 'features/documents/document-editor-page.tsx',
}

/** Pages that are loaded before any other page. */
const always = ['start', 'frame']

/**
 * Splits the admin into files. The bundler alone would create a file for each set of modules that the same pages share,
 * which means a hundred small files for a list. Here, modules that the same main pages need are merged. A page then
 * loads few files, and no modules that it does not need. `chunks`: the result of the bundler.
 */
export function splittingByPages(chunks) {
  const names = new Map()
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  for (const [page, path] of Object.entries(pages)) {
    const entry = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/admin/${path}`))
    if (!entry) throw new Error(`The admin has no ${path}`)
    for (const id of importedBy(entry, byFile)) {
      const known = names.get(id)
      if (!always.some((name) => known?.endsWith(name))) names.set(id, known ? `${known}-${page}` : page)
    }
  }
  const name = (id) => names.get(id) ?? null
  return { includeDependenciesRecursively: false, groups: [{ name, debugName: 'pages' }] }
}

/**
 * Returns the modules of all chunks that `entry` imports statically, directly or through other chunks. The modules of
 * `entry` itself stay together, under its name.
 */
function importedBy(entry, byFile) {
  const files = new Set(entry.imports)
  for (const file of files) for (const imported of byFile.get(file)?.imports ?? []) files.add(imported)
  return [...files].flatMap((file) => byFile.get(file)?.moduleIds ?? []).filter((id) => !id.startsWith('\0'))
}
