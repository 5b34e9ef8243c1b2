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
/** Returns the uids of spaces in calls of `enter`, in bodies that create spaces, and in addresses. */
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

  it('use neither pages nor endpoints of the whole installation', () => {
    const wide = journeys.filter(({ text }) => /['`](?:\/api\/installation|\/admin)\b/.test(text))
    expect(wide.map(({ name }) => name)).toEqual([])
  })
})
