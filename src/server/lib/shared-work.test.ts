import { expect, it } from 'vitest'
import { createSharedWork } from './shared-work.ts'

/** Creates work that ends when the test calls `finish`. */
function workUntil() {
  const signals: AbortSignal[] = []
  let finish = (_result: string) => {}
  const work = (signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<string>((resolve) => {
      finish = resolve
    })
  }
  return { signals, work, finish: (result: string) => finish(result) }
}

it('shared work runs once for all waiting callers, and again for later callers', async () => {
  const shared = createSharedWork<string>()
  const { signals, work, finish } = workUntil()
  const waiting = [shared.join('a', work), shared.join('a', work), shared.join('b', async () => 'other')]
  finish('done')
  expect(await Promise.all(waiting)).toEqual(['done', 'done', 'other'])
  const later = shared.join('a', work)
  finish('again')
  expect(await later).toBe('again')
  expect(signals).toHaveLength(2)
})

it('shared work continues while a caller waits, and is aborted when the last caller leaves', async () => {
  const shared = createSharedWork<string>()
  const { signals, work, finish } = workUntil()
  const [first, second] = [new AbortController(), new AbortController()]
  const left = shared.join('a', work, first.signal)
  const staying = shared.join('a', work, second.signal)
  first.abort()
  await expect(left).rejects.toMatchObject({ name: 'AbortError' })
  expect(signals[0]?.aborted).toBe(false)
  finish('done')
  expect(await staying).toBe('done')
  expect(signals[0]?.aborted).toBe(false)

  const alone = shared.join('a', work, second.signal)
  second.abort()
  await expect(alone).rejects.toMatchObject({ name: 'AbortError' })
  expect(signals[1]?.aborted).toBe(true)
  const next = shared.join('a', work)
  finish('anew')
  expect(await next).toBe('anew')
})

it('shared work that fails rejects for all waiting callers, and is run again for the next caller', async () => {
  const shared = createSharedWork<string>()
  const fail = () => Promise.reject(new Error('no'))
  const results = await Promise.allSettled([shared.join('a', fail), shared.join('a', fail)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await shared.join('a', async () => 'yes')).toBe('yes')
})
