import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, api, forgetCsrfToken, onSignedOut } from './api.ts'
import { answerRequests } from './testing.tsx'

const refused = (status: number, body: object) => ({ status, body })
const update = () =>
  api('PUT /api/project/{p}', { params: { p: 'acme' }, body: { project: { name: 'Acme' } } })

afterEach(() => onSignedOut(() => undefined))

describe('api', () => {
  it('inserts parameters and the query into the URL', async () => {
    const seen = answerRequests(() => ({ body: { revisions: [] } }))
    await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/revisions', {
      params: { p: 'ac me', a: 'blog', m: 'x/y', id: '0' },
      query: { limit: 5 },
    })
    expect(seen[0]?.path).toBe('/api/project/ac%20me/app/blog/model/x%2Fy/doc/0/revisions?limit=5')
    expect(seen[0]?.headers.has('x-csrf-token')).toBe(false)
  })

  it('sends a raw query unchanged', async () => {
    const seen = answerRequests(() => ({ body: { documents: [], total: 0, skip: 0, limit: 10 } }))
    const params = { p: 'acme', a: 'blog', m: 'article' }
    const route = 'GET /api/project/{p}/app/{a}/model/{m}/doc'
    await api(route, { params, query: 'title[match]=a&[or]=(a=1;b=2)' })
    await api(route, { params })
    expect(seen.map((request) => request.path.split('/doc')[1])).toEqual([
      '?title[match]=a&[or]=(a=1;b=2)',
      '',
    ])
  })

  it('encodes spaces as %20, because the query language reads + as a plus sign', async () => {
    const seen = answerRequests(() => ({ body: { documents: [], total: 0, skip: 0, limit: 10 } }))
    await api('GET /api/project/{p}/app/{a}/model/{m}/doc', {
      params: { p: 'acme', a: 'blog', m: 'article' },
      query: new URLSearchParams({ search: '春の池 1+1' }),
    })
    expect(seen[0]?.path.split('?')[1]).toBe('search=%E6%98%A5%E3%81%AE%E6%B1%A0%201%2B1')
  })

  it('fetches the CSRF token once for two simultaneous PUT calls, and sends it with both', async () => {
    const seen = answerRequests(({ path }) =>
      path.endsWith('csrfToken') ? { body: { csrfToken: 'one' } } : { body: { project: {} } },
    )
    await Promise.all([update(), update()])
    expect(seen.filter((request) => request.path.endsWith('csrfToken'))).toHaveLength(1)
    const puts = seen.filter((request) => request.method === 'PUT')
    expect(puts.map((request) => request.headers.get('x-csrf-token'))).toEqual(['one', 'one'])
    expect(puts[0]?.body).toEqual({ project: { name: 'Acme' } })
  })

  it('fetches a new token and repeats the call once if the token is rejected', async () => {
    let tokens = 0
    const seen = answerRequests(({ path, headers }) => {
      if (path.endsWith('csrfToken')) return { body: { csrfToken: `token${++tokens}` } }
      if (headers.get('x-csrf-token') === 'token1') return refused(403, { code: 'InvalidCsrfToken' })
      return { body: { project: { uid: 'acme' } } }
    })
    await expect(update()).resolves.toMatchObject({ project: { uid: 'acme' } })
    expect(seen.map((request) => request.method)).toEqual(['GET', 'PUT', 'GET', 'PUT'])
  })

  it('throws if the second token is also rejected', async () => {
    const seen = answerRequests(({ path }) =>
      path.endsWith('csrfToken') ? { body: { csrfToken: 'x' } } : refused(403, { code: 'InvalidCsrfToken' }),
    )
    await expect(update()).rejects.toMatchObject({ code: 'InvalidCsrfToken', status: 403 })
    expect(seen.filter((request) => request.method === 'PUT')).toHaveLength(2)
  })

  it('throws if the token cannot be fetched, and succeeds at the next call if the server responds', async () => {
    let up = false
    answerRequests(({ path }) => {
      if (!up) return new TypeError('Failed to fetch')
      return path.endsWith('csrfToken') ? { body: { csrfToken: 'x' } } : { body: { project: {} } }
    })
    await expect(update()).rejects.toMatchObject({ code: 'NetworkError' })
    up = true
    await expect(update()).resolves.toBeDefined()
  })

  it('throws an `ApiError` with the content of the error response', async () => {
    answerRequests(() =>
      refused(409, {
        code: 'VersionConflict',
        message: 'm',
        issues: [{ path: 'a', code: 'Required' }],
        fields: ['b'],
      }),
    )
    const error = await api('GET /api/project', {}).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      status: 409,
      code: 'VersionConflict',
      message: 'm',
      issues: [{ path: 'a', code: 'Required' }],
      details: { fields: ['b'] },
    })
  })

  it.each([
    [502, '<html>Bad gateway</html>', 'ServiceUnavailable'],
    [413, 'too large', 'RequestFileTooLarge'],
    [429, '', 'TooManyRequests'],
    [200, '<html>not ours</html>', 'InternalServerError'],
  ])('derives from the response status %s and the body %j the error code %s', async (status, body, code) => {
    answerRequests(() => ({ status, body }))
    await expect(api('GET /api/project', {})).rejects.toMatchObject({ status, code })
  })

  it('calls the `onSignedOut` handler for `Unauthorized`, but not for `IncorrectPassword`', async () => {
    const ended = vi.fn()
    onSignedOut(ended)
    answerRequests(({ path }) =>
      path.endsWith('csrfToken')
        ? { body: { csrfToken: null } }
        : refused(401, { code: 'IncorrectPassword' }),
    )
    const login = api('POST /api/auth/login', { body: { email: 'a@example.com', password: 'x' } })
    await expect(login).rejects.toBeInstanceOf(ApiError)
    answerRequests(() => refused(401, { code: 'Unauthorized' }))
    await expect(api('GET /api/project', {})).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(ended).toHaveBeenCalledTimes(1)
  })

  it('does not call the `onSignedOut` handler for a request of an earlier session', async () => {
    const ended = vi.fn()
    onSignedOut(ended)
    answerRequests(() => refused(401, { code: 'Unauthorized' }))
    const earlier = api('GET /api/project', {})
    forgetCsrfToken()
    await expect(earlier).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(ended).not.toHaveBeenCalled()
    await expect(api('GET /api/project', {})).rejects.toMatchObject({ code: 'Unauthorized' })
    expect(ended).toHaveBeenCalledTimes(1)
  })

  it('throws an `AbortError` if the signal is already aborted', async () => {
    answerRequests(() => ({ body: {} }))
    await expect(api('GET /api/project', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})
