import { createClient } from 'newt-client-js'
import { describe, expect, it } from 'vitest'
import { sampleCode } from './sample.ts'

const input = { space: 'acme', app: 'blog', model: 'article', kind: 'cdn', token: 'secret' } as const

/**
 * Runs a sample with the real client and a recording `fetch`. Returns the requested URLs with their `Authorization`
 * headers.
 */
async function requestOf(code: string) {
  const requests: { url: string; authorization: string | null }[] = []
  const record = async (url: string, init: RequestInit) => {
    requests.push({ url, authorization: new Headers(init.headers).get('authorization') })
    return new Response(JSON.stringify({ skip: 0, limit: 10, total: 0, items: [] }))
  }
  const body = code.replace(/^import .*\n/, '').replace(/console\.log.*/, 'return total')
  const run = new Function('createClient', 'fetch', `return (async () => {${body}})()`)
  expect(await run(createClient, record)).toBe(0)
  return requests
}

describe('sampleCode', () => {
  it('returns code that requests the contents over HTTPS with the fetch option', async () => {
    const code = sampleCode({ ...input, client: 'fetch', origin: 'https://cms.example.com' })
    expect(await requestOf(code)).toEqual([
      { url: 'https://cms.example.com/v1/blog/article?limit=10', authorization: 'Bearer secret' },
    ])
  })

  it('returns code that requests a local installation over plain HTTP', async () => {
    const code = sampleCode({ ...input, client: 'fetch', origin: 'http://localhost:3000' })
    expect((await requestOf(code))[0]?.url).toBe('http://localhost:3000/v1/blog/article?limit=10')
  })

  it('returns SDK code that contains this host in `spaceUid`, and no `fetch` option', () => {
    const code = sampleCode({ ...input, client: 'sdk', kind: 'api', origin: 'https://cms.example.com' })
    expect(code).toContain(`spaceUid: 'cms.example.com/acme'`)
    expect(code).toContain(`apiType: 'api'`)
    expect(code).not.toContain('fetch')
  })

  it('returns a curl command with the URL and the token', () => {
    const code = sampleCode({ ...input, client: 'curl', origin: 'http://localhost:3000' })
    expect(code).toContain(`'http://localhost:3000/acme.cdn/v1/blog/article?limit=10'`)
    expect(code).toContain('Bearer secret')
  })

  it('returns a curl command that creates a document in the management API', () => {
    const code = sampleCode({
      ...input,
      kind: 'api',
      client: 'write',
      field: '題',
      origin: 'https://cms.example.com',
    })
    expect(code).toContain(`'https://cms.example.com/api/project/acme/app/blog/model/article/doc'`)
    expect(code).toContain(`-d '{"document":{"題":"Hello"}}'`)
    expect(code).toContain('Bearer secret')
  })
})
