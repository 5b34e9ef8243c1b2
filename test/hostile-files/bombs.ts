import { deflateSync } from 'node:zlib'
import {
  bitPng,
  blackGif,
  chunk,
  damaged,
  type HostileFile,
  half,
  jpeg,
  jpegOfSize,
  photo,
  pngMark,
  pngs,
  text,
  tooLarge,
} from './make.ts'

/** Files that unpack to far more than their size, and damaged files. */
export const bombs: HostileFile[] = [
  {
    name: '900 megapixels in a few KB',
    ...pngs,
    ...tooLarge,
    bytes: () => bitPng(30_000, 30_000, { data: deflateSync(Buffer.alloc(1000)) }),
  },
  {
    name: 'a JPEG with a false size',
    ...jpeg,
    ...tooLarge,
    bytes: () => jpegOfSize(65_000, 65_000),
  },
  { name: 'a GIF of 10,000 frames', declared: 'image/gif', ...tooLarge, bytes: () => blackGif(10_000, 1, 1) },
  {
    name: 'a GIF of 300 megapixels in total',
    declared: 'image/gif',
    ...tooLarge,
    bytes: () => blackGif(300, 1000, 1000),
  },
  {
    name: 'a compressed text of 100 MB in a PNG',
    ...pngs,
    bytes: () =>
      bitPng(8, 8, {
        others: [chunk('zTXt', Buffer.concat([text('Comment\0\0'), deflateSync(Buffer.alloc(100_000_000))]))],
      }),
  },
  {
    name: 'a PNG with a packed profile of 100 MB',
    ...pngs,
    bytes: () =>
      bitPng(8, 8, {
        others: [chunk('iCCP', Buffer.concat([text('x\0\0'), deflateSync(Buffer.alloc(100_000_000))]))],
      }),
  },
  {
    name: 'a PNG with more pixels than declared',
    ...pngs,
    bytes: () => bitPng(8, 8, { data: deflateSync(Buffer.alloc(50_000_000)) }),
  },
  {
    name: 'an empty file',
    declared: 'image/png',
    bytes: () => Buffer.alloc(0),
    found: 'FileIsEmpty',
    made: 'FileIsDamaged',
  },
  ...(['jpeg', 'png', 'webp', 'avif'] as const).map((format) => ({
    name: `a truncated ${format}`,
    declared: `image/${format}`,
    bytes: async () => half(await photo(format)),
    ...damaged,
  })),
  {
    name: 'a truncated tiff',
    declared: 'image/tiff',
    bytes: async () => half(await photo('tiff')),
    found: 'UnsupportedMediaType',
    made: 'FileIsDamaged',
  },
  {
    name: 'a PNG with a wrong checksum',
    declared: 'image/png',
    ...damaged,
    bytes: async () => {
      const bytes = Buffer.from(await photo('png'))
      const at = bytes.indexOf('IDAT') + 40
      bytes[at] = (bytes[at] ?? 0) ^ 0xff
      return bytes
    },
  },
  {
    name: 'a PNG without data',
    declared: 'image/png',
    ...damaged,
    found: 'UnsupportedMediaType',
    bytes: () => Buffer.concat([pngMark, chunk('IEND', Buffer.alloc(0))]),
  },
  { name: 'a PNG without pixels', declared: 'image/png', ...damaged, bytes: () => bitPng(0, 0) },
  {
    name: 'noise after the start of a JPEG',
    declared: 'image/jpeg',
    ...damaged,
    bytes: () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2000, 0x5a)]),
  },
]
