import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/*
 * `npm test` skips tests with the tag `full`. Each feature must have server tests without the tag and, unless it has no
 * screen, a journey without the tag.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const features = readdirSync(join(root, 'src/server/features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** Features whose server tests are outside of their folder. */
const testsElsewhere: Record<string, string> = {
  'access-requests': 'src/server/features/invitations/invitations.test.ts',
  'field-indexes': 'src/server/content/field-indexes/field-indexes.test.ts',
  'image-settings': 'src/server/delivery/assets.pictures.test.ts',
  maps: 'test/matrix.test.ts',
  'schema-merge': 'src/shared/schema-merge/merge.test.ts',
}

/** The journey of each feature in `e2e`; null: the feature has no screen. */
const journeys: Record<string, string | null> = {
  'access-requests': 'directory',
  'account-security': 'people',
  accounts: 'account',
  'app-exports': 'moves',
  apps: 'journey',
  assets: 'library',
  'audit-log': 'security',
  'custom-types': 'sections',
  documents: 'editing',
  embed: 'writing',
  'external-storage': 'external-storage',
  'field-indexes': null,
  forms: 'forms',
  'group-roles': 'directory',
  'image-settings': 'image-settings',
  installation: 'jobs',
  invitations: 'people',
  jobs: 'jobs',
  maps: 'writing',
  members: 'people',
  'model-copies': 'models',
  models: 'models',
  moves: 'sources',
  'portable-apps': 'moves',
  roles: 'people',
  'schema-merge': 'models',
  scim: 'directory',
  'second-factor': 'people',
  security: 'security',
  'site-requests': 'sources',
  spaces: 'journey',
  sso: 'people',
  templates: 'templates',
  tokens: 'journey',
  usage: null,
  views: 'models',
  webhooks: 'webhooks',
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Returns the number of tests in a file that `npm test` runs. A loop around tests counts as one. */
function shortTests(file: string): number {
  const text = read(file)
  if (/@module-tag full/.test(text)) return 0
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  return count(/^ *(?:it|test)(?:\.\w+)*\(/gm) - count(/tags: \['full'\]|tag: '@full'/g)
}

describe('npm test', () => {
  it('runs at least one server test of every feature', () => {
    const untested = features.filter((feature) => {
      const folder = `src/server/features/${feature}`
      const files = testsElsewhere[feature]
        ? [testsElsewhere[feature]]
        : readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
            .filter((name) => name.endsWith('.test.ts'))
            .map((name) => `${folder}/${name}`)
      return files.every((file) => shortTests(file) === 0)
    })
    expect(untested).toEqual([])
  })

  it('runs at least one test of the journey of every feature with a screen', () => {
    expect(Object.keys(journeys)).toEqual([...features].sort())
    const untested = Object.entries(journeys).filter(
      ([, journey]) => journey && shortTests(`e2e/${journey}.spec.ts`) === 0,
    )
    expect(untested).toEqual([])
  })
})
