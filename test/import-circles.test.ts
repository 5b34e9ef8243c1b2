import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src/', import.meta.url))

/**
 * The rooms: a folder of the server, the admin, the rescue or `shared` is one, and so is each feature, each file that
 * lies beside them, and the archive. The routes of the server's features lie before all of these, as a test shows: they
 * say which use-cases a request comes to. Within a room lint alone watches (no circle of files).
 */
function roomOf(file: string): string {
  const [part = '', room, feature] = file.split('/')
  if (room === undefined || part === 'archive') return part
  if (part === 'server' && file.endsWith('.routes.ts')) return 'server/routes'
  return room === 'features' && feature && !feature.includes('.')
    ? `${part}/${room}/${feature}`
    : `${part}/${room}`
}

/** By `from → to` the files that import so. */
const edges = new Map<string, Set<string>>()
const graph = new Map<string, Set<string>>()

beforeAll(async () => {
  const ofRescue = await readdir(join(source, '../rescue'), { recursive: true })
  const files = [
    ...(await readdir(source, { recursive: true })),
    ...ofRescue.map((file) => join('rescue', file)),
  ]
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$|\btesting\b/.test(file))
  expect(files.length).toBeGreaterThan(300)
  for (const file of files) {
    const text = await readFile(join(source, file.startsWith('rescue/') ? '..' : '.', file), 'utf8')
    for (const [, target = ''] of text.matchAll(/(?:\bfrom|\bimport\(?)\s*'((?:#|\.{1,2}\/)[^']+)'/g)) {
      const path = target.startsWith('#')
        ? target.slice(1)
        : normalize(join(dirname(file), target)).replaceAll(sep, '/')
      const [from, to] = [roomOf(file), roomOf(path)]
      if (from === to) continue
      const edge = `${from} → ${to}`
      edges.set(edge, (edges.get(edge) ?? new Set()).add(file))
      graph.set(from, (graph.get(from) ?? new Set()).add(to))
    }
  }
})

/** The rooms that can be reached from this one. */
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

it('no room imports one that imports it, by whatever way', () => {
  expect(circles().map((edge) => [edge, [...(edges.get(edge) ?? [])]])).toEqual([])
})

it('finds a circle, however wide', () => {
  const [from, to] = ['server/db', 'server/features/documents']
  graph.get(from)?.add(to)
  edges.set(`${from} → ${to}`, new Set(['planted']))
  const found = circles()
  graph.get(from)?.delete(to)
  edges.delete(`${from} → ${to}`)
  expect(found).toContain(`${from} → ${to}`)
  expect(found).toContain('server/features/documents → server/features/models')
})

it('only the list of features knows the routes of the server', () => {
  const importers = [...edges].flatMap(([edge, files]) =>
    edge.endsWith('→ server/routes') ? [...files] : [],
  )
  expect(importers).toEqual(['server/features/index.ts'])
})

it('ARCHITECTURE.md has every room on its map', async () => {
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
