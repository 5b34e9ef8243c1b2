import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fieldTypeNames } from '#shared/fields/index.ts'

const source = fileURLToPath(new URL('../src/', import.meta.url))

/** Files that may contain type names: the three folders of field types, and the shipped templates. */
const rooms =
  /^(?:shared\/fields|server\/content\/fields|admin\/fields|server\/features\/templates\/shipped)\//
const tests = /(?:\.test\.tsx?|(?:^|\/)(?:test-model|testing)\.tsx?)$/

/** A type name as a string literal or as a key of an object. */
const named = new RegExp(
  `['"\`](?:${fieldTypeNames.join('|')})['"\`]|^\\s*(?:${fieldTypeNames.join('|')}):`,
  'm',
)

async function findNamed(files: string[]): Promise<string[]> {
  const found: string[] = []
  for (const file of files) if (named.test(await readFile(join(source, file), 'utf8'))) found.push(file)
  return found
}

describe('names of field types', () => {
  it('appear in TypeScript files of src only in the folders of field types, shipped templates and tests', async () => {
    const paths = await readdir(source, { recursive: true })
    const files = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => /\.tsx?$/.test(path))
    const elsewhere = files.filter((path) => !rooms.test(path) && !tests.test(path))
    expect(elsewhere.length).toBeGreaterThan(250)
    expect(await findNamed(elsewhere)).toEqual([])
    // This shows that the search works: it finds the names in files that may contain them.
    expect(await findNamed(['shared/fields/text.ts', 'admin/fields/index.ts'])).toHaveLength(2)
  })
})
