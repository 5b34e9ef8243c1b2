import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src/', import.meta.url))

/** Features of the server whose folders import each other in one direction only. */
const stagedFeatures = new Set(['documents', 'moves'])

/**
 * Returns the unit of a file for the search of cycles. Units are each folder and file at the top of the server, the
 * admin, the rescue, `moving` or `shared`, each feature, and the archive. The files next to the features are one unit.
 * The routes of the server's features are one unit above all others, because they map requests to use cases. Each
 * folder of `stagedFeatures` is a separate unit.
 */
function roomOf(file: string): string {
  const [part = '', room, feature, stage, inner] = file.split('/')
  if (room === undefined || part === 'archive') return part
  if (part === 'server' && file.endsWith('.routes.ts')) return 'server/routes'
  if (part === 'server' && stagedFeatures.has(feature ?? '') && inner !== undefined)
    return `${part}/${room}/${feature}/${stage}`
  return room === 'features' && feature && !feature.includes('.')
    ? `${part}/${room}/${feature}`
    : `${part}/${room}`
}

/** Returns the imports of a file, including types, as paths in `src`. Paths in the rescue begin with `rescue`. */
function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*'((?:#|\.{1,2}\/)[^']+)'/g)].map(([, target = '']) => {
    if (target.startsWith('#')) return target.slice(1)
    const path = normalize(join(dirname(file), target)).replaceAll(sep, '/')
    // `rescue` is next to `src`.
    return path.replace(/^(?:\.\.|src)\//, '')
  })
}

/** Imports of each file, including tests. */
const imports = new Map<string, string[]>()
/** Files with an import from one unit to another. Key: `<from> → <to>`. */
const edges = new Map<string, Set<string>>()
const graph = new Map<string, Set<string>>()

beforeAll(async () => {
  const ofRescue = await readdir(join(source, '../rescue'), { recursive: true })
  const files = [
    ...(await readdir(source, { recursive: true })),
    ...ofRescue.map((file) => join('rescue', file)),
  ]
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => /\.tsx?$/.test(file))
  for (const file of files) {
    const text = await readFile(join(source, file.startsWith('rescue/') ? '..' : '.', file), 'utf8')
    imports.set(file, importsOf(file, text))
  }
  const ours = files.filter((file) => !/\.test\.tsx?$|\.d\.ts$|\btesting\b/.test(file))
  expect(ours.length).toBeGreaterThan(300)
  for (const file of ours) {
    for (const path of imports.get(file) ?? []) {
      const [from, to] = [roomOf(file), roomOf(path)]
      if (from === to) continue
      const edge = `${from} → ${to}`
      edges.set(edge, (edges.get(edge) ?? new Set()).add(file))
      graph.set(from, (graph.get(from) ?? new Set()).add(to))
    }
  }
})

function reach(from: string): Set<string> {
  const seen = new Set<string>()
  const stack = [from]
  for (let room = stack.pop(); room !== undefined; room = stack.pop())
    for (const to of graph.get(room) ?? [])
      if (!seen.has(to)) {
        seen.add(to)
        stack.push(to)
      }
  return seen
}

const circles = () =>
  [...edges.keys()].filter((edge) => {
    const [from = '', to = ''] = edge.split(' → ')
    return reach(to).has(from)
  })

/** Returns the shortest import cycle through a file. */
function circleThrough(file: string, graph: Map<string, string[]>): string[] | undefined {
  const ways = [[file]]
  const seen = new Set<string>()
  for (const way of ways)
    for (const next of graph.get(way.at(-1) ?? '') ?? []) {
      if (next === file) return way
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  return undefined
}

/**
 * Returns the shortest import cycle through each file as `a → b → a`, without duplicates. Type imports count like
 * others.
 */
function fileCircles(all: Map<string, string[]>): string[] {
  // Files without remaining imports cannot be in a cycle. Without them, few files remain.
  let graph = all
  for (let size = Number.POSITIVE_INFINITY; graph.size < size; ) {
    size = graph.size
    const left = graph
    graph = new Map([...left].filter(([, targets]) => targets.some((target) => left.has(target))))
  }
  const circles = new Map<string, string>()
  for (const file of [...graph.keys()].sort()) {
    const circle = circleThrough(file, graph)
    const id = circle?.toSorted().join()
    if (circle && id && !circles.has(id)) circles.set(id, [...circle, file].join(' → '))
  }
  return [...circles.values()]
}

it('files in src and rescue have no import cycles, including type imports', () => {
  expect(fileCircles(imports)).toEqual([])
})

it('fileCircles() finds a cycle of files that import only types', () => {
  const planted = {
    'server/db/a.ts': "import type { B } from './b.ts'",
    'server/db/b.ts': "export type { C } from '#rescue/c.ts'",
    'rescue/c.ts': "import type { D } from '../src/shared/d.ts'\nexport const none = 0",
    'shared/d.ts': "type A = import('#server/db/a.ts').A",
  }
  const files = Object.entries(planted).map(([file, text]) => [file, importsOf(file, text)] as const)
  const apart = files.slice(0, -1)
  expect(fileCircles(new Map([...imports, ...apart]))).toEqual(fileCircles(imports))
  expect(fileCircles(new Map([...imports, ...files]))).toContain(
    'rescue/c.ts → shared/d.ts → server/db/a.ts → server/db/b.ts → rescue/c.ts',
  )
})

it('units of the architecture have no import cycles', () => {
  expect(circles().map((edge) => [edge, [...(edges.get(edge) ?? [])]])).toEqual([])
})

it('circles() finds a planted cycle of units', () => {
  const [from, to] = ['server/db', 'server/features/documents']
  graph.get(from)?.add(to)
  edges.set(`${from} → ${to}`, new Set(['planted']))
  const found = circles()
  graph.get(from)?.delete(to)
  edges.delete(`${from} → ${to}`)
  expect(found).toContain(`${from} → ${to}`)
  expect(found).toContain('server/features/documents/store → server/features/models')
})

it("only the list of features imports the server's routes, apart from tests", () => {
  const importers = [...edges].flatMap(([edge, files]) =>
    edge.endsWith('→ server/routes') ? [...files] : [],
  )
  expect(importers).toEqual(['server/features/index.ts'])
})

it('the map in ARCHITECTURE.md contains every top-level folder of shared, server, admin and rescue', async () => {
  const map = (await readFile(join(source, '../ARCHITECTURE.md'), 'utf8')).split('```')[1] ?? ''
  const missing: string[] = []
  for (const part of ['shared', 'server', 'admin', 'rescue']) {
    const folder = part === 'rescue' ? part : `src/${part}`
    const own = map.split(/\n(?=\w)/).find((section) => section.trimStart().startsWith(`${folder}/`)) ?? ''
    for (const entry of await readdir(join(source, '..', folder), { withFileTypes: true })) {
      const name = entry.isDirectory() ? `${entry.name}/` : entry.name
      const isNamed = own.split(/\s+/).includes(name)
      if (!isNamed && (entry.isDirectory() || part === 'shared') && !name.includes('.test.'))
        missing.push(`${part}/${name}`)
    }
  }
  expect(missing).toEqual([])
})
