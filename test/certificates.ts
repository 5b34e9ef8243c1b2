import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'

/** A key and its self-signed certificate, as identity providers use them. */
export interface TestCertificate {
  /** PEM text. */
  key: string
  /** PEM text. */
  certificate: string
}

const length = (size: number): Buffer => {
  if (size < 128) return Buffer.from([size])
  const bytes = Buffer.from(size.toString(16).padStart(size > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}
const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(body.length), body])
}
const time = (date: Date) => der(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, '')))
const sha256WithRsa = der(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'))

/**
 * Creates a certificate. `days`: validity, negative for an expired certificate. `endsAt`: the encoded end of validity,
 * which replaces `days` and may be an invalid date. `key`: an existing key, which is cheaper than a new one.
 */
export function makeCertificate({
  name = 'idp.example.com',
  bits = 2048,
  days = 365,
  endsAt = '',
  key = '',
} = {}): TestCertificate {
  const privateKey = key
    ? createPrivateKey(key)
    : generateKeyPairSync('rsa', { modulusLength: bits }).privateKey
  const publicKey = createPublicKey(privateKey)
  const day = 86_400_000
  const subject = der(
    0x30,
    der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(name)))),
  )
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    sha256WithRsa,
    subject,
    der(
      0x30,
      time(new Date(Date.now() - 400 * day)),
      endsAt ? der(0x18, Buffer.from(endsAt)) : time(new Date(Date.now() + days * day)),
    ),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const lines = der(0x30, content, sha256WithRsa, signature)
    .toString('base64')
    .match(/.{1,64}/g)
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: ['-----BEGIN CERTIFICATE-----', ...(lines ?? []), '-----END CERTIFICATE-----', ''].join(
      '\n',
    ),
  }
}
