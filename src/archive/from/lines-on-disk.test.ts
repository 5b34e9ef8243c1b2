import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LinesOnDisk } from './lines-on-disk.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-lines-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function readBack(orders: readonly string[]): Promise<string[]> {
  const lines = await LinesOnDisk.create(join(folder, `${orders.length}`))
  try {
    for (const [index, order] of orders.entries()) await lines.add(order, `${order} いもり ${index}`)
    expect(lines.count).toBe(orders.length)
    const read: string[] = []
    for await (const line of lines.read()) read.push(line.toString())
    return read
  } finally {
    await lines.close()
  }
}

it.each([
  ['no lines', []],
  ['sorted lines', Array.from({ length: 5_000 }, (_, at) => String(at).padStart(6, '0'))],
  [
    'unsorted lines with repeated keys',
    Array.from({ length: 30_000 }, (_, at) => `${(at * 7_919) % 10_007} ${'池'.repeat(at % 3)}`),
  ],
])('LinesOnDisk reads lines in the order of their keys: %s', { tags: ['full'] }, async (_name, orders) => {
  const wanted = orders
    .map((order, index) => ({ order, line: `${order} いもり ${index}` }))
    .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
  expect(await readBack(orders)).toEqual(wanted.map(({ line }) => line))
})

it('LinesOnDisk returns each line of an unsorted file in a buffer of the same length', async () => {
  const lines = await LinesOnDisk.create(join(folder, 'unsorted'))
  try {
    for (let at = 0; at < 100; at++) await lines.add(String(999 - at), 'いもり'.repeat(100))
    for await (const line of lines.read()) expect(line.buffer.byteLength).toBe(line.length)
  } finally {
    await lines.close()
  }
})
