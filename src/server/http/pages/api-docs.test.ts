import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAccount } from '#test/factories.ts'
import { ok, startInstallation, type TestInstallation } from '#test/server.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(() => installation?.close())

const files = ['', '/', '/json', '/yaml', '/static/swagger-ui-bundle.js', '/static/swagger-initializer.js']

it('the API documentation redirects signed-out visitors to the login page', async () => {
  const visitor = installation.visitor()
  for (const file of files) {
    const answer = await visitor.get(`/apiManagement${file}`)
    expect([file, answer.status, answer.headers.location]).toEqual([
      file,
      302,
      '/login?redirect=%2FapiManagement',
    ])
    expect(answer.text).toBe('')
  }
})

it('the API documentation serves the OpenAPI document, and its page allows only scripts of the server', async () => {
  const { client } = await createAccount(installation)
  const page = await client.get('/apiManagement')
  expect(page.status).toBe(200)
  expect(page.headers['content-type']).toMatch(/^text\/html/)
  expect(page.text).not.toMatch(/<script(?![^>]*src=)/)
  expect(page.headers['content-security-policy']).toMatch(/default-src 'none';script-src 'self';/)
  for (const [, url] of page.text.matchAll(/(?:src|href)="([^"]+)"/g))
    expect((await client.get(url as string)).status).toBe(200)
  expect(ok(await client.get('/apiManagement/json'))).toEqual(ok(await client.get('/api/openapi.json')))
})

it('the API documentation adds the CSRF token to POST requests, not to GET requests', async () => {
  const { client } = await createAccount(installation)
  const { text } = await client.get('/apiManagement/static/swagger-initializer.js')
  const source = /"requestInterceptor":(async function[\s\S]*?\n\s*\})(?=[,}])/.exec(text)?.[1]
  const fetched: string[] = []
  const intercept = new Function('fetch', `return ${source}`)(async (url: string) => {
    fetched.push(url)
    return { json: async () => ({ csrfToken: 'the-token' }) }
  })
  const sent = await intercept({ method: 'POST', headers: { accept: 'x' }, url: '/api/project' })
  expect(sent).toEqual({
    method: 'POST',
    headers: { accept: 'x', 'x-csrf-token': 'the-token' },
    url: '/api/project',
  })
  await intercept({ method: 'GET', url: '/api/project' })
  await intercept({ url: 'json' })
  expect(fetched).toEqual(['/api/auth/csrfToken'])
})
