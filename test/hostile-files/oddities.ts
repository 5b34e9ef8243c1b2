import sharp from 'sharp'
import { quadrants } from '../pictures.ts'
import { bitPng, blackGif, chunk, exif, type HostileFile, jpeg, png, pngs, withSegment } from './make.ts'

/** Unusual files that are accepted. */
export const oddities: HostileFile[] = [
  {
    name: 'a CMYK JPEG',
    ...jpeg,
    bytes: async () =>
      sharp(await png())
        .toColourspace('cmyk')
        .jpeg()
        .toBuffer(),
  },
  {
    name: 'a PNG of 16 bits',
    ...pngs,
    bytes: async () =>
      sharp(await png())
        .toColourspace('rgb16')
        .png()
        .toBuffer(),
  },
  {
    name: 'a grey picture with alpha',
    ...pngs,
    bytes: async () =>
      sharp(await png())
        .greyscale()
        .ensureAlpha(0.5)
        .png()
        .toBuffer(),
  },
  { name: 'a picture of one pixel', ...pngs, bytes: () => quadrants(1, 1) },
  { name: 'a line of 65,535 pixels', ...pngs, bytes: () => bitPng(65_535, 1) },
  { name: 'a column of 65,535 pixels', ...pngs, bytes: () => bitPng(1, 65_535) },
  {
    name: 'a JPEG with another orientation',
    ...jpeg,
    bytes: async () =>
      sharp(await png())
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer(),
  },
  {
    name: 'a JPEG with an unknown orientation',
    ...jpeg,
    bytes: () =>
      withSegment(
        0xe1,
        exif(
          Buffer.from(
            '4949 2a00 0800 0000 0100 1201 0300 0100 0000 6300 0000 0000 0000'.replaceAll(' ', ''),
            'hex',
          ),
        ),
      ),
  },
  {
    name: 'EXIF data that refers to itself',
    ...jpeg,
    bytes: () =>
      withSegment(
        0xe1,
        exif(
          Buffer.from(
            '4949 2a00 0800 0000 0100 6987 0400 0100 0000 0800 0000 0800 0000'.replaceAll(' ', ''),
            'hex',
          ),
        ),
      ),
  },
  {
    name: 'truncated EXIF data',
    ...jpeg,
    bytes: () => withSegment(0xe1, exif(Buffer.from('49492a00ffffff7f', 'hex'))),
  },
  {
    name: 'EXIF data of 64 KB',
    ...jpeg,
    bytes: () =>
      withSegment(
        0xe1,
        exif(
          Buffer.concat([
            Buffer.from('4949 2a00 0800 0000 0000 0000 0000'.replaceAll(' ', ''), 'hex'),
            Buffer.alloc(65_000, 0xff),
          ]),
        ),
      ),
  },
  {
    name: 'an animated WebP',
    declared: 'image/webp',
    bytes: () =>
      sharp(blackGif(3, 8, 8), { animated: true })
        .webp()
        .toBuffer(),
    found: 'image/webp',
    made: 'ok',
  },
  {
    name: 'an animated PNG',
    ...pngs,
    bytes: () => bitPng(8, 8, { others: [chunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]))] }),
  },
]
