import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { colorAt, quadrants } from '#test/pictures.ts'
import { edit, imageProcesses, inspect, transform } from './images.ts'
import type { Transform } from './transform.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imori-images-'))
})
afterAll(() => rm(folder, { recursive: true }))

const work = { spaceId: null }
let count = 0
async function file(bytes: Uint8Array): Promise<string> {
  const path = join(folder, String(count++))
  await writeFile(path, bytes)
  return path
}

async function make(
  bytes: Uint8Array,
  wanted: Partial<Transform>,
  options: { focalPoint?: { x: number; y: number }; stripMetadata?: boolean } = {},
) {
  const { focalPoint = null, stripMetadata = true } = options
  return transform({
    path: await file(bytes),
    transform: { format: 'png', ...wanted },
    focalPoint,
    stripMetadata,
    watermark: null,
  })
}

describe('a transform', () => {
  it.each([
    [{ width: 100 }, 100, 50],
    [{ height: 100 }, 200, 100],
    [{ width: 90, height: 90 }, 90, 90],
    [{ width: 90, height: 90, fit: 'contain' }, 90, 90],
    [{ width: 90, height: 90, fit: 'fill' }, 90, 90],
    [{ width: 90, height: 90, fit: 'inside' }, 90, 45],
    [{ width: 90, height: 90, fit: 'outside' }, 180, 90],
    [{ extract: { left: 200, top: 0, width: 150, height: 100 } }, 150, 100],
    [{ extract: { left: 200, top: 0, width: 100, height: 50 }, width: 10 }, 10, 5],
    [{}, 400, 200],
  ] as const)('with %o results in %i × %i pixels', async (wanted, width, height) => {
    const made = await make(await quadrants(400, 200), wanted)
    expect([made.width, made.height]).toEqual([width, height])
    const read = await sharp(made.bytes).metadata()
    expect([read.width, read.height, read.format]).toEqual([width, height, 'png'])
  })

  it('shows the expected parts of the picture with fill, contain and extract', async () => {
    const source = await quadrants(400, 200)
    const filled = await make(source, { width: 90, height: 90, fit: 'fill' })
    expect(await colorAt(filled.bytes, 10, 10)).toBe('red')
    expect(await colorAt(filled.bytes, 80, 10)).toBe('green')
    expect(await colorAt(filled.bytes, 10, 80)).toBe('blue')
    expect(await colorAt(filled.bytes, 80, 80)).toBe('white')
    const contained = await make(source, { width: 100, height: 100, fit: 'contain' })
    expect(await colorAt(contained.bytes, 50, 5)).toBe('black')
    expect(await colorAt(contained.bytes, 10, 30)).toBe('red')
    const extracted = await make(source, { extract: { left: 200, top: 100, width: 200, height: 100 } })
    expect(await colorAt(extracted.bytes, 5, 5)).toBe('white')
  })

  it('keeps the focal point visible, or the centre if no focal point is set', async () => {
    const source = await quadrants(400, 200)
    const middle = await make(source, { width: 50, height: 100 })
    expect(await colorAt(middle.bytes, 5, 10)).toBe('red')
    expect(await colorAt(middle.bytes, 45, 10)).toBe('green')
    const left = await make(source, { width: 50, height: 100 }, { focalPoint: { x: 0.05, y: 0.9 } })
    expect(await colorAt(left.bytes, 45, 10)).toBe('red')
    expect(await colorAt(left.bytes, 45, 90)).toBe('blue')
    const right = await make(source, { width: 50, height: 100 }, { focalPoint: { x: 1, y: 0 } })
    expect(await colorAt(right.bytes, 5, 10)).toBe('green')
    // With an extract, the focal point still refers to the whole picture.
    const part = { left: 100, top: 0, width: 200, height: 200 }
    const both = await make(
      source,
      { extract: part, width: 20, height: 100 },
      { focalPoint: { x: 0.3, y: 0.5 } },
    )
    expect(await colorAt(both.bytes, 18, 10)).toBe('red')
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('applies the orientation %i of a photo', async (orientation) => {
    // Rotates the picture so that its orientation tag turns it back.
    const angle = [0, 0, 0, 180, 180, 270, 270, 90, 90][orientation]
    const turned = sharp(
      await sharp(await quadrants(80, 40))
        .rotate(angle)
        .png()
        .toBuffer(),
    )
    const isMirrored = [2, 4, 5, 7].includes(orientation)
    if (isMirrored && orientation < 5) turned.flop()
    else if (isMirrored) turned.flip()
    const photo = await turned.withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer()
    expect(await inspect(await file(photo), 'image/jpeg', work)).toMatchObject({ width: 80, height: 40 })
    for (const wanted of [
      { width: 40 },
      { width: 40, height: 20 },
      { extract: { left: 0, top: 0, width: 80, height: 40 } },
    ]) {
      const { bytes, width, height } = await make(photo, wanted)
      expect(width).toBe(2 * height)
      expect(await colorAt(bytes, 3, 3)).toBe('red')
      expect(await colorAt(bytes, width - 4, 3)).toBe('green')
      expect(await colorAt(bytes, 3, height - 4)).toBe('blue')
    }
  })

  it.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    'writes %s from JPEG, PNG, WebP, AVIF, TIFF, GIF and SVG',
    async (format) => {
      const picture = sharp(await quadrants(64, 32))
      const sources = await Promise.all([
        picture.clone().jpeg().toBuffer(),
        picture.clone().png().toBuffer(),
        picture.clone().webp().toBuffer(),
        picture.clone().avif().toBuffer(),
        picture.clone().tiff().toBuffer(),
        picture.clone().gif().toBuffer(),
        Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="32"><rect width="64" height="32" fill="red"/></svg>',
        ),
      ])
      for (const source of sources) {
        const { bytes, mediaType } = await make(source, { format, width: 32, quality: 90 })
        expect(mediaType).toBe(`image/${format}`)
        const read = await sharp(bytes).metadata()
        expect([read.format === 'heif' ? 'avif' : read.format, read.width, read.height]).toEqual([
          format,
          32,
          16,
        ])
        expect(await colorAt(bytes, 4, 4)).toBe('red')
      }
    },
  )

  it('writes smaller JPEG, WebP and AVIF files at lower quality', async () => {
    const noise = await sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        background: 'gray',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer()
    for (const format of ['jpeg', 'webp', 'avif'] as const) {
      const high = await make(noise, { format, quality: 90 })
      const low = await make(noise, { format, quality: 20 })
      expect(low.bytes.length).toBeLessThan(high.bytes.length / 2)
    }
  })

  it('removes EXIF data if requested, and keeps the colour profile', async () => {
    const photo = await sharp(await quadrants(40, 20))
      .withExif({ IFD0: { Artist: '山田花子' }, IFD3: { GPSLatitude: '35/1 0/1 0/1' } })
      .withIccProfile('p3')
      .jpeg()
      .toBuffer()
    const bare = await sharp((await make(photo, { format: 'webp', width: 20 })).bytes).metadata()
    expect(bare.exif).toBeUndefined()
    expect(bare.icc).toBeDefined()
    const full = await make(photo, { format: 'webp', width: 20 }, { stripMetadata: false })
    expect((await sharp(full.bytes).metadata()).exif).toBeDefined()
  })

  it('keeps animations in WebP and GIF, and uses the first frame in JPEG', async () => {
    const frame = (color: string) =>
      sharp({ create: { width: 30, height: 20, channels: 3, background: color } })
        .png()
        .toBuffer()
    const moving = await sharp(await Promise.all(['red', 'lime', 'blue'].map(frame)), {
      join: { animated: true },
    })
      .gif({ delay: [100, 200, 300] })
      .toBuffer()
    expect(await inspect(await file(moving), 'image/gif', work)).toMatchObject({
      width: 30,
      height: 20,
      frames: 3,
    })
    for (const format of ['webp', 'gif'] as const) {
      const made = await make(moving, { format, width: 10, height: 10 }, { focalPoint: { x: 0, y: 0 } })
      expect([made.width, made.height]).toEqual([10, 10])
      const read = await sharp(made.bytes).metadata()
      expect([read.width, read.pageHeight ?? read.height, read.pages]).toEqual([10, 10, 3])
      expect(read.delay).toEqual([100, 200, 300])
      expect(await colorAt(await sharp(made.bytes, { page: 2 }).png().toBuffer(), 5, 5)).toBe('blue')
    }
    const still = await make(moving, { format: 'jpeg', width: 10 })
    expect((await sharp(still.bytes).metadata()).pages).toBeUndefined()
    expect(await colorAt(still.bytes, 5, 5)).toBe('red')
  })

  it('places a watermark in the southeast corner', async () => {
    const mark = await file(
      await sharp({ create: { width: 40, height: 40, channels: 3, background: 'black' } })
        .png()
        .toBuffer(),
    )
    const { bytes } = await transform({
      path: await file(await quadrants(200, 200)),
      transform: { format: 'png', width: 100 },
      focalPoint: null,
      stripMetadata: true,
      watermark: { path: mark, position: 'southeast', opacity: 1 },
    })
    expect(await colorAt(bytes, 95, 95)).toBe('black')
    expect(await colorAt(bytes, 70, 70)).toBe('white')
    expect(await colorAt(bytes, 5, 5)).toBe('red')
  })

  it('refuses an extract that is partly outside the picture', async () => {
    const source = await quadrants(40, 20)
    await expect(
      make(source, { extract: { left: 30, top: 0, width: 20, height: 10 } }),
    ).rejects.toMatchObject({
      code: 'ValidationFailed',
    })
  })
})

describe('an edit', () => {
  it('rotates before it crops, and keeps the file type', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'tiff'] as const) {
      const source = await sharp(await quadrants(80, 40))
        [format]({ quality: 100 })
        .toBuffer()
      const region = { left: 20, top: 0, width: 20, height: 40 }
      const made = await edit(await file(source), { rotate: 90, region }, work)
      expect(made).toMatchObject({ mediaType: `image/${format}`, width: 20, height: 40 })
      expect(await colorAt(made.bytes, 10, 10)).toBe('red') // After the rotation, red is at the top right.
    }
  })
})

describe('an inspection', () => {
  it('returns the type, size and camera data of a photo, but no location', async () => {
    const photo = await sharp(await quadrants(80, 40))
      .withExif({ IFD0: { Make: 'Imori', Orientation: '1' }, IFD3: { GPSLatitude: '35/1 0/1 0/1' } })
      .jpeg({ quality: 100 })
      .toBuffer()
    const found = await inspect(await file(photo), 'image/png', work)
    expect(found).toMatchObject({ mediaType: 'image/jpeg', width: 80, height: 40, frames: 1 })
    expect(found.placeholder).toMatch(/^[\w+/]{20,40}=*$/)
    expect(found.metadata.exif).toMatchObject({ Make: 'Imori' })
    expect(JSON.stringify(found.metadata)).not.toMatch(/GPS|35/)
    expect(found.metadata.colors?.[0]).toMatch(/^#[0-9a-f]{6}$/)
    expect(found.metadata.colors?.length).toBeLessThanOrEqual(5)
  })

  it('of one space does not wait for all earlier inspections of another space', async () => {
    const path = await file(
      await sharp(await quadrants(2_000, 1_000))
        .png()
        .toBuffer(),
    )
    const done: number[] = []
    const look = (spaceId: number) =>
      inspect(path, 'image/png', { spaceId }).then(() => void done.push(spaceId))
    const many = Array.from({ length: 12 }, () => look(1))
    await Promise.all([...many, look(2)])
    // The inspection of space 2 waits for the running tasks of space 1, but not for its whole queue.
    expect(done.indexOf(2)).toBeLessThanOrEqual(imageProcesses + 1)
    expect(done).toHaveLength(13)
  })

  it('returns the duration of a WAV file', async () => {
    const seconds = 2
    const header = Buffer.alloc(44)
    header.write('RIFF', 0)
    header.writeUInt32LE(36 + 8000 * seconds, 4)
    header.write('WAVEfmt ', 8)
    header.writeUInt32LE(16, 16)
    header.writeUInt16LE(1, 20)
    header.writeUInt16LE(1, 22)
    header.writeUInt32LE(8000, 24)
    header.writeUInt32LE(8000, 28)
    header.writeUInt16LE(1, 32)
    header.writeUInt16LE(8, 34)
    header.write('data', 36)
    header.writeUInt32LE(8000 * seconds, 40)
    const sound = await file(Buffer.concat([header, Buffer.alloc(8000 * seconds, 128)]))
    expect(await inspect(sound, 'audio/wav', work)).toMatchObject({
      mediaType: 'audio/wav',
      width: null,
      metadata: { duration: 2 },
    })
  })
})
