/** The interval at which an unreachable server is polled, in milliseconds. */
export const reconnectTime = 5000

/**
 * Calls `checkServer` every five seconds, when the network returns and when the tab is shown again, until it succeeds;
 * then calls `run`. Returns a function that stops the checks.
 */
export function whenReconnected(checkServer: () => Promise<unknown>, run: () => void): () => void {
  let done = false
  async function attempt() {
    try {
      await checkServer()
    } catch {
      return
    }
    if (done) return
    stop()
    run()
  }
  const now = () => void attempt()
  const onShown = () => document.visibilityState === 'visible' && now()
  const timer = setInterval(now, reconnectTime)
  window.addEventListener('online', now)
  document.addEventListener('visibilitychange', onShown)

  function stop() {
    done = true
    clearInterval(timer)
    window.removeEventListener('online', now)
    document.removeEventListener('visibilitychange', onShown)
  }
  return stop
}
