import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api } from '#admin/lib/api.ts'
import { takeLinkToken } from './link-token.ts'

/**
 * The data of a mailed link: its token, its recipient, and the error if the link is no longer valid. `token` is empty
 * if the URL has none.
 */
export interface MailedLink {
  token: string
  email: string | undefined
  spent: ApiError | null
}

/** Takes the token from the URL and loads its recipient. */
export function useMailedLink(
  route: 'POST /api/auth/signup/look' | 'POST /api/auth/resetPassword/look',
): MailedLink {
  const [token] = useState(takeLinkToken)
  const look = useQuery({
    queryKey: ['mailedLink', route, token],
    queryFn: () => api(route, { body: { token } }),
    enabled: token !== '',
    retry: false,
    gcTime: 0,
  })
  const spent = look.error instanceof ApiError && look.error.code === 'LinkIsNotValid' ? look.error : null
  return { token, email: look.data?.email, spent }
}
