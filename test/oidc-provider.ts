/// <reference path="./oidc-provider-module.d.ts" />
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** Users of an organization, by their sign-in name. */
export type Directory = Record<string, { email: string; name?: string; groups?: string[] }>

export interface TestProvider {
  url: string
  clientId: string
  clientSecret: string
  /** Sets the redirect URI. Call it before the first sign-in. */
  redirectTo(uri: string): void
  /** Signs in and consents as in a browser. Returns the URL to which the user is redirected. */
  signIn(url: string, name: string): Promise<URL>
  close(): Promise<void>
}

/**
 * Starts an OpenID Connect identity provider on a free port, with its own forms. The users of the directory sign in by
 * name with any password.
 */
export async function startOidcProvider(directory: Directory): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { clientId: 'imori', clientSecret: 'a secret that is long enough for the test' }
  let handle: RequestListener | undefined
  server.on('request', (request, response) => {
    // Strict providers send this header. A popup that has visited such a provider loses its opener.
    response.setHeader('cross-origin-opener-policy', 'same-origin')
    handle?.(request, response)
  })

  const redirectTo = (uri: string) => {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: client.clientId,
          client_secret: client.clientSecret,
          token_endpoint_auth_method: 'client_secret_post',
          redirect_uris: [uri],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      cookies: { keys: ['only for tests'] },
      findAccount: (_context: unknown, id: string) =>
        directory[id] && {
          accountId: id,
          claims: () => ({ sub: id, email_verified: true, ...directory[id] }),
        },
      pkce: { required: () => true },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    })
    handle = provider.callback()
  }
  const signIn = async (from: string, name: string) => {
    const cookies = new Map<string, string>()
    let next = new URL(from)
    let form: URLSearchParams | undefined
    while (next.origin === url) {
      const answer = await fetch(next, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
        ...(form ? { method: 'POST', body: form } : {}),
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        cookies.set(key, value)
      }
      const location = answer.headers.get('location')
      if (location) {
        next = new URL(location, next)
        form = undefined
        continue
      }
      const page = await answer.text()
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(page) ?? []
      if (!prompt || !action) throw new Error(`No form of oidc-provider: ${page.slice(0, 500)}`)
      next = new URL(action, next)
      form = new URLSearchParams({ prompt, login: name, password: 'any' })
    }
    return next
  }

  return {
    url,
    ...client,
    redirectTo,
    signIn,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
