import { expect, it } from 'vitest'
import { createSharedWork } from './shared-work.ts'

/** Work that ends when the test says so. */
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

it('is done once for all who wait, and again for who comes later', async () => {
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

it('goes on while somebody waits, and is aborted when nobody does', async () => {
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

it('fails for all who wait, and is tried again', async () => {
  const shared = createSharedWork<string>()
  const fail = () => Promise.reject(new Error('no'))
  const results = await Promise.allSettled([shared.join('a', fail), shared.join('a', fail)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await shared.join('a', async () => 'yes')).toBe('yes')
})
