import type { TestAccount } from './factories.ts'
import type { IssuerScript, TestIssuer } from './oidc-issuer.ts'
import { type Answer, type Client, ok } from './server.ts'

/** Connects the space to the issuer, with these domains confirmed by an admin of the installation. */
export async function connectIssuer(
  { client }: TestAccount,
  { url }: { url: string },
  issuer: TestIssuer,
  data: { domains: string[] } & Record<string, unknown>,
): Promise<void> {
  const oidc = { issuer: issuer.url, clientId: 'imori', clientSecret: 'a secret' }
  const { sso } = ok(await client.put(`${url}/sso`, { data: { kind: 'oidc', oidc, ...data } }))
  for (const { domain, proof } of sso.domains)
    if (proof === null) ok(await client.post(`${url}/sso/domain:confirm`, { domain }))
}

/** Signs in with these claims, as in a browser. The returned `code` can link the identity to an account. */
export async function signInBySso(
  issuer: TestIssuer,
  client: Client,
  space: { uid: string },
  claims: IssuerScript['claims'],
  more: { invitationCode?: string } = {},
): Promise<Answer & { code: string }> {
  const begun = ok(await client.post('/api/auth/sso', { space: space.uid, ...more }))
  return goOn(issuer, client, begun.url, claims)
}

/** Runs an SSO test as an admin. Returns the result that a real sign-in would have. */
export async function trySso(
  issuer: TestIssuer,
  client: Client,
  space: { url: string },
  claims: IssuerScript['claims'],
) {
  const begun = ok(await client.post(`${space.url}/sso/try`))
  return ok(await goOn(issuer, client, begun.url, claims)).testResult
}

async function goOn(issuer: TestIssuer, client: Client, url: string, claims: IssuerScript['claims']) {
  const asked = new URL(url).searchParams
  issuer.nonce = asked.get('nonce') ?? ''
  issuer.script = { claims }
  const query = new URLSearchParams({ code: 'a-code', state: asked.get('state') ?? '', iss: issuer.url })
  const back = await client.get(`${new URL(asked.get('redirect_uri') ?? '').pathname}?${query}`)
  const code = String(back.headers.location).split('#')[1] ?? ''
  return { ...(await client.post('/api/auth/sso/finish', { code })), code }
}
