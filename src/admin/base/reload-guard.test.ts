import { describe, expect, it, vi } from 'vitest'
import { answerRequests } from '#admin/lib/testing.tsx'
import { loadScript, reloadOnce, ScriptLoadError } from './reload-guard.ts'

function memory() {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  }
}

describe('reloadOnce', () => {
  it('reloads at most once in ten seconds', () => {
    const storage = memory()
    const reload = vi.fn()
    expect(reloadOnce(storage, reload, 1_000)).toBe(true)
    expect(reloadOnce(storage, reload, 10_999)).toBe(false)
    expect(reload).toHaveBeenCalledTimes(1)
    expect(reloadOnce(storage, reload, 11_000)).toBe(true)
    expect(reload).toHaveBeenCalledTimes(2)
  })

  it('ignores a stored time in the future', () => {
    const storage = memory()
    reloadOnce(storage, () => undefined, 50_000)
    expect(reloadOnce(storage, () => undefined, 20_000)).toBe(true)
  })
})

describe('loadScript', () => {
  const gone = () => Promise.reject(new TypeError('gone'))

  it('reloads if the server is reachable but the script fails to load', async () => {
    answerRequests(() => ({ body: '' }))
    const reload = vi.fn(() => true)
    const settled = vi.fn()
    loadScript(gone, reload).then(settled, settled)
    await expect.poll(() => reload.mock.calls).toHaveLength(1)
    expect(settled).not.toHaveBeenCalled()
  })

  it('throws without a reload if the script fails to load and the server is unreachable', async () => {
    answerRequests(() => new Error('connection refused'))
    const reload = vi.fn(() => true)
    await expect(loadScript(gone, reload)).rejects.toThrow(ScriptLoadError)
    expect(reload).not.toHaveBeenCalled()
  })

  it('throws if the script fails to load and `reload` returns false', async () => {
    answerRequests(() => ({ body: '' }))
    await expect(loadScript(gone, () => false)).rejects.toThrow(ScriptLoadError)
  })
})
