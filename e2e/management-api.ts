import type { APIRequestContext } from '@playwright/test'
import { expect } from './fixtures.ts'

/** The management API as the signed-in browser reaches it. */
export async function send(request: APIRequestContext, origin: string, url: string, data: object) {
  const { csrfToken } = await (await request.get('/api/auth/csrfToken')).json()
  const headers = { origin, ...(csrfToken ? { 'x-csrf-token': csrfToken } : {}) }
  const answer = await request.post(url, { data, headers })
  expect(answer.ok(), await answer.text()).toBe(true)
  return answer.json()
}

const person = { email: 'hana@example.com', password: 'いもりは池にいる2026' }

/** Signs in; the first time it makes the account, the space `pond` and in its app `blog` one model. */
export async function signInToModel(
  request: APIRequestContext,
  origin: string,
  model: { uid: string; fields: object[] },
): Promise<void> {
  const { firstAccount } = await (await request.get('/api/auth/signupState')).json()
  if (!firstAccount) {
    await send(request, origin, '/api/auth/login', person)
    return
  }
  await send(request, origin, '/api/auth/signup', { ...person, name: '山田 花' })
  await send(request, origin, '/api/project', { project: { uid: 'pond', name: '池' } })
  await send(request, origin, '/api/project/pond/app', { data: { uid: 'blog', name: 'ブログ' } })
  await send(request, origin, '/api/project/pond/app/blog/model', {
    data: { name: '記事', titleField: 'title', ...model },
  })
}
