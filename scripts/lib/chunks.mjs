/** Where people arrive, and the pages on which they work most. */
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

/** What is there before any page that follows is. */
const always = ['start', 'frame']

/**
 * How the admin is split into files. The bundler alone makes one of everything that the same few pages share, which is a
 * hundred icons and hooks for a list. `chunks` is what it makes then; modules that the same of our main pages need are
 * put together: a page comes in a handful of files, and with nothing that it does not need.
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

/** The modules of all chunks that one imports at once. Its own stay together, under its name. */
function importedBy(entry, byFile) {
  const files = new Set(entry.imports)
  for (const file of files) for (const imported of byFile.get(file)?.imports ?? []) files.add(imported)
  return [...files].flatMap((file) => byFile.get(file)?.moduleIds ?? []).filter((id) => !id.startsWith('\0'))
}
