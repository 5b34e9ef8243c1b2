import { expect, it } from 'vitest'
import { createWorkerPool, type PoolWorker, type WorkerEvents } from '#server/lib/worker-pool.ts'
import { threadBounds } from './check/threads.ts'
import type { Turn } from './store/turn.ts'

it('reads one file of an account at a time, and small files first', async () => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const pool = createWorkerPool<{ name: string; turn: Turn }, string>({
    ...threadBounds,
    entry: new URL('file:///none'),
    start(_entry, events: WorkerEvents<string>): PoolWorker<{ name: string }> {
      return {
        send({ name }) {
          begun.push(name)
          ends.push(() => events.outcome({ result: name }))
        },
        hold() {},
        end() {},
      }
    },
  })
  const large = 5_000_000
  const add = (name: string, account: string, bytes: number) => pool.run({ name, turn: { account, bytes } })
  const all = ['a1', 'a2', 'a3'].map((name) => add(name, 'a', large))
  expect(begun).toEqual(['a1'])
  all.push(add('b', 'b', large), add('c', 'c', large), add('a4', 'a', 10), add('d', 'd', 10))
  expect(begun).toEqual(['a1', 'b'])
  for (let at = 0; at < all.length; at++) {
    ends[at]?.()
    await Promise.resolve()
  }
  await Promise.all(all)
  expect(begun).toEqual(['a1', 'b', 'a4', 'd', 'a2', 'c', 'a3'])
})
