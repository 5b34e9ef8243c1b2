import { type APIRequestContext, expect } from '@playwright/test'

/**
 * Sends a request to the management API with the browser's session. `url` may be a path. Throws unless the response is
 * 2xx.
 */
export async function send(
  request: APIRequestContext,
  origin: string,
  url: string,
  data: object,
  method: 'POST' | 'PUT' = 'POST',
) {
  const { csrfToken } = await (await request.get(`${origin}/api/auth/csrfToken`)).json()
  const headers = { origin, ...(csrfToken ? { 'x-csrf-token': csrfToken } : {}) }
  const answer = await request.fetch(new URL(url, origin).href, { method, data, headers })
  expect(answer.ok(), await answer.text()).toBe(true)
  return answer.json()
}

/**
 * The account of most tests. As the first account of an installation, it is an admin. Files that share an installation
 * also share this account, because sign-ups per IP address are limited.
 */
export const person = { email: 'hana@example.com', password: 'いもりは池にいる2026', name: '山田 花' }

/**
 * Signs in `person` and sets the language of the account to Japanese. On an installation without accounts, signs up
 * `person` instead.
 */
export async function signIn(request: APIRequestContext, origin: string): Promise<void> {
  const { firstAccount } = await (await request.get(`${origin}/api/auth/signupState`)).json()
  const { name, ...credentials } = person
  if (firstAccount) {
    await send(request, origin, '/api/auth/signup', { ...credentials, name })
    return
  }
  const { user } = await send(request, origin, '/api/auth/login', credentials)
  // A test that ran earlier may have changed the language.
  if (user.language !== 'ja')
    await send(request, origin, `/api/account/${user._id}`, { data: { language: 'ja' } }, 'PUT')
}

/** Signs in `person`. If the space does not exist, creates it with the app `blog` and these models. */
export async function enter(
  request: APIRequestContext,
  origin: string,
  space: string,
  models: object[],
): Promise<void> {
  await signIn(request, origin)
  const api = `/api/project/${space}`
  if ((await request.get(`${origin}${api}`)).ok()) return
  await send(request, origin, '/api/project', { project: { uid: space, name: '池' } })
  await send(request, origin, `${api}/app`, { data: { uid: 'blog', name: 'ブログ' } })
  for (const data of models) await send(request, origin, `${api}/app/blog/model`, { data })
}

/**
 * Signs up another user, who joins the space with an invitation link. Afterwards `guest` has the session of this user.
 */
export async function joinSpace(
  admin: APIRequestContext,
  guest: APIRequestContext,
  origin: string,
  space: string,
  { invitation = {}, ...account }: { email: string; password: string; name: string; invitation?: object },
): Promise<void> {
  const issued = await send(admin, origin, `/api/project/${space}/invitation`, { invitation })
  const code = new URL(issued.invitation.url).searchParams.get('code')
  await send(guest, origin, '/api/auth/signup', account)
  await send(guest, origin, '/api/invitation/accept', { code })
}

/** Creates an app from a template and waits until its contents are imported. */
export async function makeFromTemplate(
  request: APIRequestContext,
  origin: string,
  space: string,
  appTemplateId: string,
): Promise<void> {
  const { job } = await send(request, origin, `/api/project/${space}/app`, { appTemplateId })
  const state = async () => {
    const { jobs } = await (await request.get(`${origin}/api/project/${space}/job?id=${job}`)).json()
    return jobs[0].state
  }
  await expect.poll(state).toBe('done')
}
