import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const page = await readFile(join(root, 'docs/security.md'), 'utf8')

/** Rows of the ASVS tables in docs/security.md: `| 3.2.1 | … | met | … |`. */
const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| (.+) \| (.+) \| (.+) \|$/gm)]

it('the source, test and configuration files that docs/security.md names exist', async () => {
  const named = [
    ...page.matchAll(/`((?:src|test)\/[\w./-]+|Dockerfile|\.npmrc|[\w-]+(?:\.\w+)?\.json)`/g),
  ].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(60)
  const missing: string[] = []
  for (const path of new Set(named))
    if (path !== 'secrets.json' && !(await stat(join(root, path)).catch(() => null))) missing.push(path)
  expect(missing).toEqual([])
})

it('docs/security.md lists 64 different requirements, each with a known status', () => {
  const ids = rows.map(([, id]) => id)
  expect(ids).toHaveLength(64)
  expect(new Set(ids).size).toBe(ids.length)
  const statuses = new Set(rows.map(([, , , status]) => status))
  expect([...statuses].sort()).toEqual(['met', 'met with https', 'not applicable', 'not met', 'partly'])
})
