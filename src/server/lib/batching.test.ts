import { expect, test } from 'vitest'
import { batching } from './batching.ts'

/** Creates a function for `batching` that records its calls. The test controls their results. */
function questions() {
  const asked: { all: number[]; answer(value: string): void; fail(error: Error): void }[] = []
  const ask = (all: number[]) =>
    new Promise<string>((answer, fail) => {
      asked.push({ all, answer, fail })
    })
  return { asked, ask }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('with `atOnce` 1, calls that arrive together share a batch, and calls during it share the next batch', async () => {
  const { asked, ask } = questions()
  const batch = batching(ask, 1)
  const first = [batch(1), batch(2)]
  await turn()
  const second = [batch(3), batch(4)]
  await turn()
  expect(asked.map(({ all }) => all)).toEqual([[1, 2]])
  asked[0]?.answer('a')
  expect(await Promise.all(first)).toEqual(['a', 'a'])
  await turn()
  expect(asked.map(({ all }) => all)).toEqual([
    [1, 2],
    [3, 4],
  ])
  asked[1]?.answer('b')
  expect(await Promise.all(second)).toEqual(['b', 'b'])
})

test('at most `atOnce` batches run at a time, and a failed batch fails only its own calls', async () => {
  const { asked, ask } = questions()
  const batch = batching(ask, 2)
  const first = batch(1)
  await turn()
  const second = batch(2)
  await turn()
  const third = [batch(3), batch(4)]
  await turn()
  expect(asked.map(({ all }) => all)).toEqual([[1], [2]])
  asked[1]?.fail(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  await turn()
  expect(asked.map(({ all }) => all)).toEqual([[1], [2], [3, 4]])
  asked[2]?.answer('c')
  asked[0]?.answer('a')
  expect(await Promise.all([first, ...third])).toEqual(['a', 'c', 'c'])
})
