import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** Options of a site that this passkey uses. */
interface Options {
  challenge: string
  user?: { id: string }
}

interface How {
  origin?: string
  rpId?: string
  /** Whether the user was verified by fingerprint, face or PIN. */
  isVerified?: boolean
  /** Signature counter. */
  counter?: number
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()
const base64 = (data: Buffer | string) => Buffer.from(data).toString('base64url')

/** Encodes a value that a passkey sends as CBOR (RFC 8949): integers, texts, bytes and maps. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number) =>
    n < 24
      ? Buffer.of((major << 5) | n)
      : n < 256
        ? Buffer.of((major << 5) | 24, n)
        : Buffer.of((major << 5) | 25, n >> 8, n & 255)
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, entry]) => [cbor(key), cbor(entry as number)])
  return Buffer.concat([head(5, value.size), ...entries])
}

/** A passkey of a browser in memory (WebAuthn, ES256, without attestation). */
export class SoftPasskey {
  readonly id = randomBytes(16)
  private readonly key: KeyObject
  private readonly publicKey: Buffer
  private user = ''
  private signed = 0
  private readonly site: Required<Pick<How, 'origin' | 'rpId'>>

  constructor(origin: string) {
    this.site = { origin, rpId: new URL(origin).hostname }
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.key = privateKey
    this.publicKey = cbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    )
  }

  private data(
    { rpId = this.site.rpId, isVerified = true, counter = ++this.signed }: How,
    made?: Buffer,
  ): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const flags = 1 | (isVerified ? 4 : 0) | (made ? 64 : 0)
    return Buffer.concat([sha256(rpId), Buffer.of(flags), count, made ?? Buffer.alloc(0)])
  }

  private client(type: string, challenge: string, { origin = this.site.origin }: How): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  private answer(response: object) {
    const id = base64(this.id)
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
  }

  /** Returns the result of `navigator.credentials.create`. */
  create({ challenge, user }: Options, how: How = {}) {
    this.user = user?.id ?? ''
    const length = Buffer.of(0, this.id.length)
    const authData = this.data(how, Buffer.concat([Buffer.alloc(16), length, this.id, this.publicKey]))
    const object = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return this.answer({
      clientDataJSON: base64(this.client('webauthn.create', challenge, how)),
      attestationObject: base64(cbor(object)),
      transports: ['internal'],
    })
  }

  /** Returns the result of `navigator.credentials.get`. */
  get({ challenge }: Options, how: How = {}) {
    const [authenticatorData, client] = [this.data(how), this.client('webauthn.get', challenge, how)]
    const signature = createSign('sha256')
      .update(Buffer.concat([authenticatorData, sha256(client)]))
      .sign(this.key)
    return this.answer({
      clientDataJSON: base64(client),
      authenticatorData: base64(authenticatorData),
      signature: base64(signature),
      userHandle: this.user,
    })
  }
}
