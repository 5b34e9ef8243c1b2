import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src/', import.meta.url))

/** Folders of a feature's parts. Each part has the name of the feature. */
const places = {
  contract: 'shared/contract',
  server: 'server/features',
  admin: 'admin/features',
  japanese: 'admin/i18n/ja',
  english: 'admin/i18n/en',
} as const
type Place = keyof typeof places

/**
 * Files in these folders that belong to no feature: the shared parts of the contract, and texts of other parts of the
 * admin.
 */
const others: Partial<Record<Place, string[]>> = {
  contract: ['common', 'secret', 'endpoint', 'index'],
  japanese: ['common', 'fields'],
  english: ['common', 'fields'],
}

/** Features that lack parts, each with its reason. */
const partial: Record<string, { has: Place[]; because: string }> = {
  shell: {
    has: ['admin', 'japanese', 'english'],
    because: 'the frame around the pages of all features, which exists in the admin only',
  },
  settings: {
    has: ['japanese', 'english'],
    because:
      'texts of the lists of settings and of their search, which are part of the frame (shell/settings)',
  },
  'custom-types': {
    has: ['contract', 'server', 'japanese', 'english'],
    because: 'its pages edit fields like the pages of models, and are in the folder of models',
  },
  templates: {
    has: ['contract', 'server', 'japanese', 'english'],
    because: 'users choose and save templates on the pages of apps (apps)',
  },
  views: {
    has: ['contract', 'server', 'japanese', 'english'],
    because: 'tabs above the documents of a model, which are part of the document list (documents/views)',
  },
  'site-requests': {
    has: ['contract', 'server', 'japanese', 'english'],
    because: 'shown on the page that describes how a site connects (moves)',
  },
  usage: {
    has: ['contract', 'server'],
    because: 'the counters for billing; the admin has no page for them yet',
  },
  'field-indexes': {
    has: ['server'],
    because: 'a job that users do not start; the Jobs page shows it',
  },
  embed: {
    has: ['contract', 'server'],
    because: 'the admin has an input in the folder of fields and no page',
  },
  maps: {
    has: ['contract', 'server'],
    because: 'the admin has an input in the folder of fields and no page',
  },
  'move-plans': {
    has: ['contract'],
    because: 'the schemas of plans; all other parts are in the folder of moves (moves)',
  },
  'move-imports': {
    has: ['contract'],
    because: 'moves into an existing app; use cases, pages and texts are in the folder of moves',
  },
  'move-updates': {
    has: ['contract'],
    because: 'moves that update an imported app; use cases, pages and texts are in the folder of moves',
  },
  'scim-directory': {
    has: ['contract'],
    because: 'the requests of directories; use cases, pages and texts are in the folder of scim',
  },
  'form-submissions': {
    has: ['contract'],
    because: 'the inboxes of forms; use cases, pages and texts are in the folder of forms',
  },
  'form-intake': {
    has: ['contract'],
    because: 'the requests of visitors who send forms; use cases are in the folder of forms',
  },
  'schema-merge': {
    has: ['server'],
    because:
      'writes the merges of copies, templates and moves, each of which has its own endpoints and pages',
  },
  'portable-apps': {
    has: ['server'],
    because:
      'code that exports, moves and copies of apps share; each of these has its own endpoints and pages',
  },
}

/** Returns the parts of each feature, by its name. */
async function readFeatures(): Promise<Map<string, Place[]>> {
  const features = new Map<string, Place[]>()
  for (const [place, folder] of Object.entries(places) as [Place, string][])
    for (const entry of await readdir(source + folder, { withFileTypes: true })) {
      const [name = '', extension] = entry.name.split('.')
      // On the server and in the admin, a feature is a folder. Files next to these folders combine or test the
      // features.
      const isPart = entry.isDirectory() || extension === (place === 'contract' ? 'ts' : 'json')
      if (isPart && !entry.name.includes('.test.') && !others[place]?.includes(name))
        features.set(name, [...(features.get(name) ?? []), place])
    }
  return features
}

describe('features', () => {
  it('have a part with their name in all five folders, or are listed in `partial`', async () => {
    const found = Object.fromEntries(await readFeatures())
    expect(Object.keys(found).length).toBeGreaterThan(8)
    const expected = Object.keys(found).map((name) => [name, partial[name]?.has ?? Object.keys(places)])
    expect(found).toEqual(Object.fromEntries(expected))
    for (const name of Object.keys(partial)) expect(found).toHaveProperty(name)
  })
})
