import { useEffect, useRef } from 'react'
import { whenReconnected } from '#admin/base/reconnect.ts'
import { api } from './api.ts'

/** While `offline`: asks for the server as {@link whenReconnected} does; calls `run` once it answers. */
export function useReconnect(offline: boolean, run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (!offline) return
    return whenReconnected(
      () => api('GET /api/auth/getCurrentAccount', {}),
      () => latest.current(),
    )
  }, [offline])
}
