import { useEffect, useRef } from 'react'
import { whenReconnected } from '#admin/base/reconnect.ts'
import { api } from './api.ts'

/** While `offline`, checks the server as {@link whenReconnected} does. Calls `run` when the server answers. */
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
