import { useEffect, useRef } from 'react'
import { api } from './api.ts'

/** The interval at which an unreachable server is polled, in milliseconds. */
export const reconnectTime = 5000

/** While `offline`: polls the server every five seconds and when the network returns; calls `run` once it answers. */
export function useReconnect(offline: boolean, run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (!offline) return
    let done = false
    async function ask() {
      try {
        await api('GET /api/auth/getCurrentAccount', {})
      } catch {
        return
      }
      if (done) return
      done = true
      latest.current()
    }
    const timer = setInterval(() => void ask(), reconnectTime)
    const onOnline = () => void ask()
    window.addEventListener('online', onOnline)
    return () => {
      done = true
      clearInterval(timer)
      window.removeEventListener('online', onOnline)
    }
  }, [offline])
}
