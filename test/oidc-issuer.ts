import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Configurable responses of the identity provider. */
export interface IssuerScript {
  /** Overrides claims of a valid token. undefined removes a claim. */
  claims: Record<string, unknown>
  header: Record<string, unknown>
  /**
   * Key that signs the token: the issuer's own key, an unknown key, the issuer's public key used as a secret, or none.
   */
  signedBy: 'key' | 'stranger' | 'publicKey' | 'nothing'
  /** Overrides values of the discovery document. */
  metadata: Record<string, unknown>
  /** HTTP status of the token endpoint. */
  status: number
}

export interface TestIssuer {
  url: string
  script: Partial<IssuerScript>
  /** Last request body of the token endpoint. */
  lastBody: URLSearchParams
  /** Nonce of the pending sign-in, from the authorization URL. */
  nonce: string
  close(): Promise<void>
}

const encoded = (value: object | string | Buffer) =>
  Buffer.from(typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value)).toString(
    'base64url',
  )

/**
 * Starts an OpenID Connect issuer on a free port. It can also send responses that a legitimate issuer does not send.
 */
export async function startIssuer(): Promise<TestIssuer> {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const strange = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid: 'own', use: 'sig', alg: 'RS256' }
  const server = createServer(async (request, response) => {
    const { script, url } = issuer
    const send = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url?.startsWith('/.well-known/openid-configuration'))
      return send({
        issuer: url,
        authorization_endpoint: `${url}/auth`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...script.metadata,
      })
    if (request.url === '/jwks') return send({ keys: [jwk] })
    if (request.url !== '/token') return send({}, 404)
    issuer.lastBody = new URLSearchParams(await bodyOf(request))
    if (script.status !== undefined) return send({ error: 'invalid_grant' }, script.status)
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: url,
      sub: 'somebody',
      aud: 'imori',
      iat: now,
      exp: now + 300,
      nonce: issuer.nonce,
      email: 'somebody@example.com',
      email_verified: true,
      groups: [],
      ...script.claims,
    }
    const header = { alg: 'RS256', kid: 'own', ...script.header }
    const content = `${encoded(header)}.${encoded(claims)}`
    send({
      access_token: 'access',
      token_type: 'Bearer',
      id_token: `${content}.${signature(content, script.signedBy ?? 'key', own.privateKey, strange.privateKey)}`,
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script: {},
    lastBody: new URLSearchParams(),
    nonce: '',
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return issuer
}

function signature(
  content: string,
  by: IssuerScript['signedBy'],
  own: KeyObject,
  strange: KeyObject,
): string {
  if (by === 'nothing') return ''
  if (by === 'publicKey') {
    const secret = createPublicKey(own).export({ type: 'spki', format: 'pem' })
    return createHmac('sha256', secret).update(content).digest('base64url')
  }
  return sign('sha256', Buffer.from(content), by === 'key' ? own : strange).toString('base64url')
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
