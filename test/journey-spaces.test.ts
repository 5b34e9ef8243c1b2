import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const folder = fileURLToPath(new URL('../e2e', import.meta.url))

/** Names and texts of the journeys that share an installation. */
const journeys = readdirSync(folder)
  .filter((name) => name.endsWith('.spec.ts'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
  .filter(({ text }) => !/^test\.use\(\{\s*installation\b/m.test(text))

/** Returns the first groups of all matches, without duplicates. */
const namesIn = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name)),
]
/**
 * Returns the space uids that a journey uses: in `enter` calls, in requests that create spaces, and in the first
 * segment of URLs. The first segment may also be a page, such as `account`.
 */
const spacesOf = ({ text }: { text: string }) =>
  namesIn(text, /(?:\benter\([^'[]*'|project: \{ uid: '|\/api\/project\/|goto\(['`]\/)([a-z][\w-]*)/g)
const addressesOf = ({ text }: { text: string }) => namesIn(text, /email: '([^']+)'/g)

describe('journeys that share an installation (e2e/fixtures.ts)', () => {
  it.each([
    ['spaces', spacesOf],
    ['accounts', addressesOf],
  ] as const)('have different %s', (_, of) => {
    const all = journeys.flatMap(of)
    expect(all.length).toBeGreaterThan(1)
    expect(all.filter((name, index) => all.indexOf(name) < index)).toEqual([])
  })

  it('use neither pages below /admin nor endpoints below /api/admin', () => {
    const wide = /\/(?:api\/)?admin\b/
    expect(journeys.filter(({ text }) => wide.test(text)).map(({ name }) => name)).toEqual([])
    // This journey has its own installation, and shows that the pattern is effective.
    expect(readFileSync(join(folder, 'settings.spec.ts'), 'utf8')).toMatch(wide)
  })
})
