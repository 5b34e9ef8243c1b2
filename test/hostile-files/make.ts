import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { quadrants } from '../pictures.ts'

/** A hostile file that a user might upload, and the expected result. */
export interface HostileFile {
  name: string
  /** The media type that the upload declares. */
  declared: string
  bytes(): Promise<Buffer> | Buffer
  /** The detected media type, or the error code of the refusal. */
  found: string
  /** The result of creating a small WebP: `ok`, or the error code. */
  made: string
}
export const png = () => quadrants(64, 32)
export const as = async (format: 'jpeg' | 'webp' | 'avif' | 'tiff' | 'gif' | 'png') =>
  sharp(await png())
    [format]()
    .toBuffer()
export const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))
export const text = (...parts: string[]) => Buffer.from(parts.join(''))

/** Returns a photo that is large enough to be cut in half after its header. */
export const photo = (format: 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff') =>
  sharp({
    create: {
      width: 300,
      height: 200,
      channels: 3,
      background: 'gray',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  })
    [format]()
    .toBuffer()

export function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, sum])
}

export const pngMark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Returns a PNG with one bit per pixel (grey), with other chunks before its data. */
export function bitPng(
  width: number,
  height: number,
  { data, others = [] }: { data?: Buffer; others?: Buffer[] } = {},
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = data ?? deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height))
  return Buffer.concat([
    pngMark,
    chunk('IHDR', header),
    ...others,
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Returns a GIF of this size with `frames` black frames, each of one pixel. */
export function blackGif(frames: number, width: number, height: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const frame = Buffer.from('!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1')
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}

/** Returns a JPEG with a false size in its header. */
export async function jpegOfSize(width: number, height: number): Promise<Buffer> {
  const bytes = Buffer.from(await as('jpeg'))
  const at = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(height, at + 5)
  bytes.writeUInt16BE(width, at + 7)
  return bytes
}

/** Returns a JPEG with an additional segment after its start marker. */
export async function withSegment(marker: number, data: Buffer): Promise<Buffer> {
  const bytes = await as('jpeg')
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([bytes.subarray(0, 2), head, data, bytes.subarray(2)])
}

export const exif = (tiff: Buffer) => Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
export const svg = (inside: string, attributes = 'width="64" height="32"') =>
  text(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`,
  )

export const jpeg = { declared: 'image/jpeg', found: 'image/jpeg', made: 'ok' }
export const pngs = { declared: 'image/png', found: 'image/png', made: 'ok' }
export const drawing = { declared: 'image/svg+xml', found: 'image/svg+xml', made: 'ok' }
export const damaged = { found: 'FileIsDamaged', made: 'FileIsDamaged' }
export const tooLarge = { found: 'ImageIsTooLarge', made: 'ImageIsTooLarge' }
export const noPicture = { made: 'FileIsDamaged' }
