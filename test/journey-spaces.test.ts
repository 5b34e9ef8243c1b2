import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const folder = fileURLToPath(new URL('../e2e', import.meta.url))

/** The uids of spaces and the addresses of accounts that each journey uses, if it shares an installation. */
const used = readdirSync(folder)
  .filter((name) => name.endsWith('.spec.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .filter((text) => !/^test\.use\(\{\s*installation\b/m.test(text))
  .map((text) => {
    const spaces = text.matchAll(/(?:\/api\/project\/|goto\(['`]\/)([a-z][\w-]*)/g)
    const addresses = text.matchAll(/email: '([^']+)'/g)
    return [...new Set([...spaces, ...addresses].map(([, name]) => name))]
  })

describe('journeys that share an installation (e2e/fixtures.ts)', () => {
  it('have spaces and further accounts of their own', () => {
    const all = used.flat()
    expect(all.length).toBeGreaterThan(used.length)
    expect(all.filter((name, index) => all.indexOf(name) < index)).toEqual([])
  })
})
