import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createGate, type GateLimits } from './gate.ts'

/** Creates a gate whose work ends when the test calls `end`. Records the admitted and the refused visitors. */
function open(limits: Partial<GateLimits> = {}) {
  const gate = createGate({
    active: 1,
    activePerLine: 9,
    waiting: 1000,
    patience: 60_000,
    refusal: () => new Error('too much'),
    ...limits,
  })
  const entered: string[] = []
  const refused: string[] = []
  const ends = new Map<string, () => void>()
  const leaving = new Map<string, () => void>()
  return {
    entered,
    refused,
    async come(name: string, line = 1, weight = 1) {
      const onGone = (leave: () => void) => {
        leaving.set(name, leave)
        return () => leaving.delete(name)
      }
      gate
        .run({ line, weight, onGone }, () => {
          entered.push(name)
          return new Promise<void>((resolve) => ends.set(name, resolve))
        })
        .catch((error: unknown) => {
          expect(error).toEqual(new Error('too much'))
          refused.push(name)
        })
      await setImmediate()
    },
    async end(...names: string[]) {
      for (const name of names) {
        ends.get(name)?.()
        await setImmediate()
      }
    },
    async leave(name: string) {
      leaving.get(name)?.()
      await setImmediate()
    },
    listeners: () => leaving.size,
  }
}

it('a gate admits up to `active` visitors at a time, and later visitors of a line in order of arrival', async () => {
  const gate = open({ active: 2 })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await gate.come(name)
  expect(gate.entered).toEqual(['a', 'b'])
  await gate.end('b', 'a')
  expect(gate.entered).toEqual(['a', 'b', 'c', 'd'])
  await gate.end('c', 'd', 'e')
  expect([gate.entered.length, gate.refused, gate.listeners()]).toEqual([5, [], 0])
  await gate.come('f')
  expect(gate.entered.at(-1)).toBe('f')
})

it('a gate serves lines in turns, even if one line is long', async () => {
  const gate = open()
  await gate.come('first')
  for (let n = 0; n < 5; n++) await gate.come(`long ${n}`, 1)
  for (let n = 0; n < 2; n++) await gate.come(`two ${n}`, 2)
  await gate.come('three 0', 3)
  for (let n = 0; n < 9; n++) await gate.end(gate.entered.at(-1) ?? '')
  expect(gate.entered).toEqual([
    'first',
    'long 0',
    'two 0',
    'three 0',
    'long 1',
    'two 1',
    'long 2',
    'long 3',
    'long 4',
  ])
})

it('a gate with `activePerLine` keeps capacity for other lines while the work of one line does not end', async () => {
  const gate = open({ active: 3, activePerLine: 2 })
  for (const name of ['a', 'b', 'c', 'd']) await gate.come(name, 1)
  await gate.come('other', 2)
  expect(gate.entered).toEqual(['a', 'b', 'other'])
  await gate.come('third', 3)
  await gate.end('other')
  expect(gate.entered).toEqual(['a', 'b', 'other', 'third'])
  await gate.end('third')
  expect(gate.entered).toHaveLength(4)
  await gate.end('a', 'b', 'c', 'd')
  expect([gate.entered, gate.refused]).toEqual([['a', 'b', 'other', 'third', 'c', 'd'], []])
})

it('a gate that exceeds its waiting capacity refuses the last visitors of the heaviest line', async () => {
  const gate = open({ waiting: 10 })
  await gate.come('running', 1, 5)
  for (let n = 0; n < 10; n++) await gate.come(`flood ${n}`, 1)
  expect(gate.refused).toEqual([])
  await gate.come('flood 10', 1)
  expect(gate.refused).toEqual(['flood 10'])
  await gate.come('other', 2, 3)
  expect(gate.refused).toEqual(['flood 10', 'flood 9', 'flood 8', 'flood 7'])
  await gate.come('too much', 3, 11)
  expect(gate.refused.slice(4)).toEqual(['too much'])
  await gate.end('running', 'flood 0')
  expect(gate.entered).toEqual(['running', 'flood 0', 'other'])
  // Visitors that have left the queue do not count.
  for (let n = 0; n < 4; n++) await gate.come(`again ${n}`, 4)
  expect(gate.refused).toHaveLength(5)
})

it('a gate does not serve waiting visitors that have disconnected', async () => {
  const gate = open()
  for (const name of ['a', 'b', 'c', 'd']) await gate.come(name)
  await gate.leave('b')
  await gate.leave('d')
  await gate.end('a', 'c')
  expect(gate.entered).toEqual(['a', 'c'])
  await gate.come('e')
  expect([gate.entered.at(-1), gate.listeners()]).toEqual(['e', 0])
})

it('a gate refuses a visitor that has waited too long, and no other visitor', async () => {
  const gate = open({ patience: 5 })
  await gate.come('a')
  await gate.come('b')
  await expect.poll(() => gate.refused).toEqual(['b'])
  await gate.end('a')
  await gate.come('c')
  expect(gate.entered).toEqual(['a', 'c'])
})

it('a gate continues after failed work', async () => {
  const gate = createGate({ active: 1, waiting: 1, refusal: () => new Error('too much') })
  const visitor = { line: 1 }
  const failing = gate.run(visitor, () => Promise.reject(new Error('no')))
  const next = gate.run(visitor, async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

it('a gate without waiting capacity refuses visitors above `active`', async () => {
  const gate = open({ active: 2, waiting: 0 })
  for (const name of ['a', 'b', 'c']) await gate.come(name)
  expect([gate.entered, gate.refused]).toEqual([['a', 'b'], ['c']])
  await gate.end('a')
  await gate.come('d')
  expect(gate.entered).toEqual(['a', 'b', 'd'])
})
