import { describe, expect, it, vi } from 'vitest'
import { answerRequests } from '#admin/lib/testing.tsx'
import { loadWhenOnline, ScriptLoadError } from './reload-guard.ts'

describe('loadWhenOnline', () => {
  it('calls `onOffline` if the server is unreachable, and loads again after an `online` event', async () => {
    answerRequests(() => ({ body: '' }))
    const reportOffline = vi.fn()
    const load = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new ScriptLoadError(true, null))
      .mockResolvedValueOnce('loaded')
    const loading = loadWhenOnline(load, reportOffline)
    await expect.poll(() => reportOffline.mock.calls).toHaveLength(1)
    window.dispatchEvent(new Event('online'))
    expect(await loading).toBe('loaded')
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('rethrows a `ScriptLoadError` that was not caused by an unreachable server', async () => {
    const error = new ScriptLoadError(false, null)
    await expect(loadWhenOnline(() => Promise.reject(error))).rejects.toBe(error)
  })
})
