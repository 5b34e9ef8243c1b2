import { deflateSync } from 'node:zlib'
import { bitPng, blackGif, chunk, drawing, type HostileFile, half, photo, pngs, svg, text } from './make.ts'

/** Files that take the server especially long to check. Some are accepted, others are refused. */
export const busyFiles: Omit<HostileFile, 'made'>[] = [
  { name: '100 megapixels in a few KB', ...pngs, bytes: () => bitPng(9_990, 9_990) },
  {
    name: 'a GIF of 1,000 frames',
    declared: 'image/gif',
    found: 'image/gif',
    bytes: () => blackGif(1_000, 300, 300),
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
    name: 'a truncated photo',
    declared: 'image/jpeg',
    found: 'FileIsDamaged',
    bytes: async () => half(await photo('jpeg')),
  },
  {
    name: 'a drawing of 5,000 levels',
    ...drawing,
    found: 'ImageIsTooLarge',
    bytes: () => svg('<g>'.repeat(5_000) + '</g>'.repeat(5_000)),
  },
  {
    name: 'a drawing of 100,000 elements',
    ...drawing,
    bytes: () => svg('<path d="M0 0"/>'.repeat(100_000)),
  },
  {
    name: 'a drawing of 100,000 attributes',
    ...drawing,
    bytes: () => svg(`<g ${Array.from({ length: 100_000 }, (_, at) => `a${at}="1"`).join(' ')}/>`),
  },
  {
    name: 'a drawing of 100,000 entities',
    ...drawing,
    found: 'UnsupportedMediaType',
    bytes: () => text(`<!DOCTYPE svg [${'<!ENTITY a "a">'.repeat(100_000)}]>`, svg('<g/>').toString()),
  },
  {
    name: 'a drawing of one long path',
    ...drawing,
    bytes: () => svg(`<path d="M0 0${'L9 9 0 9'.repeat(240_000)}"/>`),
  },
]
