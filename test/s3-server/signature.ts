import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/*
 * Verifies AWS Signature Version 4 as the documentation of the server side describes it: the canonical request is built
 * from the bytes received. It is independent of the signing code, so that it can detect errors there.
 */

export interface KeyPair {
  accessKeyId: string
  secretAccessKey: string
}

export interface Refusal {
  status: number
  code: string
  /** Further elements for the XML of the error. */
  xml?: string
}

export interface Verified {
  /** The declared hash of the body, or the mark for an unsigned body. */
  contentHash: string
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Percent-encodes a text for the signature: everything except letters, digits and `-._~`. */
const encode = (text: string) =>
  [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')

function queryPairs(search: string): [string, string][] {
  return search
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      return [name, value].map((text) => decodeURIComponent(text.replaceAll('+', ' '))) as [string, string]
    })
}

/**
 * Verifies key, time, region and signature. Returns the refusal if one of them is wrong. `nowMs`: the server's clock.
 */
export function verify(
  request: IncomingMessage,
  { keys, region, nowMs }: { keys: KeyPair; region: string; nowMs: number },
): Verified | Refusal {
  const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s)
  const pairs = queryPairs(search)
  const query = Object.fromEntries(pairs)
  const inQuery = 'X-Amz-Signature' in query
  const header = String(request.headers.authorization ?? '')
  const [, credential = '', signedHeaders = '', signature = ''] = inQuery
    ? ['', query['X-Amz-Credential'], query['X-Amz-SignedHeaders'], query['X-Amz-Signature']]
    : (/^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
        header,
      ) ?? [])
  if (!credential || !signature) return { status: 403, code: 'AccessDenied' }
  const [accessKeyId, day, signedRegion, service, end] = credential.split('/')
  const stamp = String(inQuery ? query['X-Amz-Date'] : request.headers['x-amz-date'])
  if (accessKeyId !== keys.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' }
  if (signedRegion !== region)
    return { status: 400, code: 'AuthorizationHeaderMalformed', xml: `<Region>${region}</Region>` }
  if (service !== 's3' || end !== 'aws4_request' || !stamp.startsWith(day ?? '-'))
    return { status: 400, code: 'AuthorizationHeaderMalformed' }
  const signedAt = Date.parse(
    stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  const age = (nowMs - signedAt) / 1000
  if (!inQuery && !(Math.abs(age) <= 900)) return { status: 403, code: 'RequestTimeTooSkewed' }
  if (inQuery) {
    const expires = Number(query['X-Amz-Expires'])
    if (!(expires >= 1 && expires <= 604_800))
      return { status: 400, code: 'AuthorizationQueryParametersError' }
    if (!(age >= -900 && age <= expires)) return { status: 403, code: 'AccessDenied' }
  }
  const names = signedHeaders.split(';')
  if (!names.includes('host')) return { status: 403, code: 'AccessDenied' }
  // Every `x-amz-` header must be signed.
  for (const name of Object.keys(request.headers))
    if (name.startsWith('x-amz-') && !names.includes(name)) return { status: 403, code: 'AccessDenied' }
  const contentHash = inQuery ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256'] ?? '')
  if (contentHash === '') return { status: 400, code: 'InvalidRequest' }
  const canonical = [
    request.method,
    decodeURIComponent(path).split('/').map(encode).join('/'),
    pairs
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...names.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replace(/\s+/g, ' ')}`,
    ),
    '',
    signedHeaders,
    contentHash,
  ].join('\n')
  const scope = [day, region, 's3', 'aws4_request']
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>(
    (parent, part) => hmac(parent, part ?? ''),
    `AWS4${keys.secretAccessKey}`,
  )
  const expected = hmac(key, toSign)
  const given = Buffer.from(signature, 'hex')
  const right = given.length === expected.length && timingSafeEqual(given, expected)
  return right ? { contentHash } : { status: 403, code: 'SignatureDoesNotMatch' }
}
