import { describe, expect, it, vi } from 'vitest'
import { reloadOnce } from './reload-guard.ts'

function memory() {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  }
}

describe('reloadOnce', () => {
  it('reloads the first time, then not for ten seconds', () => {
    const storage = memory()
    const reload = vi.fn()
    expect(reloadOnce(storage, reload, 1_000)).toBe(true)
    expect(reloadOnce(storage, reload, 10_999)).toBe(false)
    expect(reload).toHaveBeenCalledTimes(1)
    expect(reloadOnce(storage, reload, 11_000)).toBe(true)
    expect(reload).toHaveBeenCalledTimes(2)
  })

  it('does not trust a flag from the future', () => {
    const storage = memory()
    reloadOnce(storage, () => undefined, 50_000)
    expect(reloadOnce(storage, () => undefined, 20_000)).toBe(true)
  })
})
