import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Returns one DER element: tag, length, content. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...contents: Buffer[]) => der(0x30, ...contents)
const octets = (content: Buffer) => der(0x04, content)
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const time = (date: Date) =>
  der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'))
const commonName = identifier('550403')
const subjectAltName = identifier('551d11')
const basicConstraints = identifier('551d13')

/** Creates a key and its self-signed certificate for these host names, valid for one day. Returns PEM texts. */
export function makeCertificate(hosts: string[]): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('localhost')))))
  const now = Date.now()
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(now - 3_600_000)), time(new Date(now + 86_400_000))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(subjectAltName, octets(sequence(...hosts.map((host) => der(0x82, Buffer.from(host)))))),
        sequence(basicConstraints, octets(sequence(der(0x01, Buffer.from([0xff]))))),
      ),
    ),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const certificate = sequence(body, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}
