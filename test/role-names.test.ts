import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { appRoles, projectRoles } from '#shared/permissions.ts'

const source = fileURLToPath(new URL('../src/', import.meta.url))

/** Matches a built-in role's uid, or the lists of built-in roles. */
const named = new RegExp(
  [
    ...Object.keys(projectRoles),
    ...Object.keys(appRoles),
    '\\b(?:project|app)Roles\\b',
    '\\bis(?:Project|App)Role\\b',
  ].join('|'),
)
/** Files that declare or translate the built-in roles, and migrations. */
const declared = /^(?:shared\/permissions\.ts|shared\/i18n\/\w+\/role\.json|server\/db\/migrations\/.*)$/

async function findNamed(files: string[]): Promise<string[]> {
  const found: string[] = []
  for (const file of files) if (named.test(await readFile(join(source, file), 'utf8'))) found.push(file)
  return found
}

it('source files name built-in roles only in declarations, translations, migrations, tests and recorded SQL', async () => {
  const paths = (await readdir(source, { recursive: true })).map((path) => path.replaceAll('\\', '/'))
  const files = paths.filter(
    (path) => /\.(?:tsx?|json|sql)$/.test(path) && !/\.(?:test|statements)\./.test(path),
  )
  expect(files.length).toBeGreaterThan(400)
  expect(await findNamed(files.filter((path) => !declared.test(path)))).toEqual([])
  // This shows that the search works: it finds the names in files that may contain them.
  const places = ['shared/permissions.ts', 'shared/i18n/ja/role.json']
  expect(await findNamed(places)).toEqual(places)
})
