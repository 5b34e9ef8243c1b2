import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Failure, type Result, repeatFailed } from './tests.mjs'

const result = (passed: number, failures: Failure[] = []): Result => ({
  passed,
  failures,
  times: new Map(),
  attachments: [],
})
const failure = (file: string, text = file): Failure => ({ file, text })

describe('repeatFailed', () => {
  beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => {}))
  afterEach(() => void vi.restoreAllMocks())

  it('reports the first failure of a file as flaky if the file passes alone', async () => {
    const first = result(7, [failure('a', 'a › one'), failure('a', 'a › two'), failure('b')])
    const again = await repeatFailed(first, async (file) =>
      file === 'a' ? result(3) : result(2, [failure('b', 'b › again')]),
    )
    expect(again).toMatchObject({ passed: 9, flaky: [{ text: 'a › one' }], failures: [{ file: 'b' }] })
  })

  it('keeps a failure of a file if no test of the file runs the second time', async () => {
    const again = await repeatFailed(result(1, [failure('a')]), async () => result(0))
    expect(again).toMatchObject({ passed: 1, flaky: [], failures: [{ file: 'a' }] })
  })

  it('keeps errors outside of test files', async () => {
    const runAlone = vi.fn(async () => result(1))
    const again = await repeatFailed(result(1, [{ text: 'Vitest' }]), runAlone)
    expect([again.failures, runAlone.mock.calls]).toEqual([[{ text: 'Vitest' }], []])
  })

  it('repeats nothing if more than five files failed', async () => {
    const runAlone = vi.fn(async () => result(1))
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((file) => failure(file))
    const again = await repeatFailed(result(0, many), runAlone)
    expect([again.failures.length, again.flaky, runAlone.mock.calls]).toEqual([6, [], []])
  })
})
