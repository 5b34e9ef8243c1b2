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
    because: 'the frame around the pages of all features: the server knows no frame',
  },
  settings: {
    has: ['japanese', 'english'],
    because: 'words of the lists of settings and of their search, which belong to the frame (shell/settings)',
  },
  'custom-types': {
    has: ['contract', 'server', 'japanese', 'english'],
    because: 'its pages edit fields as those of models do, and lie with them',
  },
  templates: {
    has: ['contract', 'server', 'japanese', 'english'],
    because: 'chosen where apps are made, and kept where they are set up: pages of the apps (apps)',
  },
  views: {
    has: ['contract', 'server', 'japanese', 'english'],
    because:
      'tabs over the documents of a model: in the admin they are a part of their list (documents/views)',
  },
  'site-requests': {
    has: ['contract', 'server', 'japanese', 'english'],
    because: 'looked at on the page that says how a site is pointed here (moves)',
  },
  'field-indexes': {
    has: ['server'],
    because: 'a job that nobody asks for by hand; the page of jobs shows it',
  },
  embed: {
    has: ['contract', 'server'],
    because: 'the input of its fields is a room of the fields, not a page',
  },
  maps: {
    has: ['contract', 'server'],
    because: 'the input of its fields is a room of the fields, not a page',
  },
  'move-plans': {
    has: ['contract'],
    because: 'the shapes of the plans of moves: everything else of them is theirs (moves)',
  },
  'move-imports': {
    has: ['contract'],
    because:
      'moves themselves, into an app that is there: their use-cases, pages and words are those of the moves',
  },
  'move-updates': {
    has: ['contract'],
    because:
      'moves themselves, of apps that have moved in: their use-cases, pages and words are those of the moves',
  },
  'schema-merge': {
    has: ['server'],
    because:
      'writes what copies, templates and moves merge into an app; each of these has its own endpoints and pages',
  },
  'portable-apps': {
    has: ['server'],
    because:
      'what exports, moves and copies of apps are made of; each of these has its own endpoints and pages',
  },
}

/** Returns the parts of each feature, by its name. */
async function readFeatures(): Promise<Map<string, Place[]>> {
  const features = new Map<string, Place[]>()
  for (const [place, folder] of Object.entries(places) as [Place, string][])
    for (const entry of await readdir(source + folder, { withFileTypes: true })) {
      const [name = '', extension] = entry.name.split('.')
      // A feature is a folder. Files next to the features combine or test all of them.
      const isPart = entry.isDirectory() || extension === (place === 'contract' ? 'ts' : 'json')
      if (isPart && !entry.name.includes('.test.') && !others[place]?.includes(name))
        features.set(name, [...(features.get(name) ?? []), place])
    }
  return features
}

describe('features', () => {
  it('have the same name in the contract, on the server, in the admin and in its texts', async () => {
    const found = Object.fromEntries(await readFeatures())
    expect(Object.keys(found).length).toBeGreaterThan(8)
    const expected = Object.keys(found).map((name) => [name, partial[name]?.has ?? Object.keys(places)])
    expect(found).toEqual(Object.fromEntries(expected))
    for (const name of Object.keys(partial)) expect(found).toHaveProperty(name)
  })
})
