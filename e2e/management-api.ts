import { type APIRequestContext, expect } from '@playwright/test'

/** Posts to the management API as the signed-in browser does; fails unless it is answered with 2xx. */
export async function send(request: APIRequestContext, origin: string, url: string, data: object) {
  const { csrfToken } = await (await request.get('/api/auth/csrfToken')).json()
  const headers = { origin, ...(csrfToken ? { 'x-csrf-token': csrfToken } : {}) }
  const answer = await request.post(url, { data, headers })
  expect(answer.ok(), await answer.text()).toBe(true)
  return answer.json()
}
