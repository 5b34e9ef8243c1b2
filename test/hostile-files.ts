import { crc32, deflateSync, gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { quadrants } from './pictures.ts'

/** A file that somebody might send us, and what becomes of it. */
export interface HostileFile {
  name: string
  /** The type it is said to be. */
  declared: string
  bytes(): Promise<Buffer> | Buffer
  /** What it is found to be, or the code it is refused with. */
  found: string
  /** What making a small WebP of it comes to: `ok`, or the code. */
  made: string
}

const png = () => quadrants(64, 32)
const as = async (format: 'jpeg' | 'webp' | 'avif' | 'tiff' | 'gif' | 'png') =>
  sharp(await png())
    [format]()
    .toBuffer()
const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))
const text = (...parts: string[]) => Buffer.from(parts.join(''))

/** A photo large enough for half of it to be no end of a header. */
const photo = (format: 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff') =>
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

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([head, body, sum])
}

const pngMark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A PNG of one bit a pixel (grey), with other chunks before its data. */
function bitPng(
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

/** A GIF of black frames of that size. */
function blackGif(frames: number, width: number, height: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const frame = Buffer.from('!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1')
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(';')])
}

/** A JPEG with its size in the header written over. */
async function jpegOfSize(width: number, height: number): Promise<Buffer> {
  const bytes = Buffer.from(await as('jpeg'))
  const at = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(height, at + 5)
  bytes.writeUInt16BE(width, at + 7)
  return bytes
}

/** A JPEG with a segment behind its beginning. */
async function withSegment(marker: number, data: Buffer): Promise<Buffer> {
  const bytes = await as('jpeg')
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([bytes.subarray(0, 2), head, data, bytes.subarray(2)])
}

const exif = (tiff: Buffer) => Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
const svg = (inside: string, attributes = 'width="64" height="32"') =>
  text(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`,
  )

const jpeg = { declared: 'image/jpeg', found: 'image/jpeg', made: 'ok' }
const pngs = { declared: 'image/png', found: 'image/png', made: 'ok' }
const drawing = { declared: 'image/svg+xml', found: 'image/svg+xml', made: 'ok' }
const damaged = { found: 'FileIsDamaged', made: 'FileIsDamaged' }
const tooLarge = { found: 'ImageIsTooLarge', made: 'ImageIsTooLarge' }
const noPicture = { made: 'FileIsDamaged' }
const rect = '<rect width="64" height="32" fill="red"/>'
const laughs = `<!DOCTYPE svg [<!ENTITY a "haha">${'bcdefghij'
  .split('')
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghij'[index]};`.repeat(10)}">`)
  .join('')}]>`

export const hostileFiles: HostileFile[] = [
  // Two things at once: what decodes as a picture is served as that picture, and as nothing else.
  {
    name: 'a GIF that is a script',
    declared: 'image/gif',
    bytes: () => Buffer.concat([blackGif(1, 1, 1), text('=1;alert(1)//')]),
    found: 'image/gif',
    made: 'ok',
  },
  {
    name: 'a GIF in name only',
    declared: 'image/gif',
    bytes: () => text('GIF89a/*', 'x'.repeat(50), '*/=1;alert(document.domain)'),
    ...damaged,
  },
  {
    name: 'a JPEG with a page in its comment',
    ...jpeg,
    bytes: () => withSegment(0xfe, text('<html><script>alert(1)</script></html>')),
  },
  {
    name: 'a JPEG with a page behind it',
    ...jpeg,
    bytes: async () => Buffer.concat([await as('jpeg'), text('<script>alert(1)</script>')]),
  },
  {
    name: 'a PNG with an archive behind it',
    ...pngs,
    bytes: async () => Buffer.concat([await png(), text('PK\x03\x04evil')]),
  },
  {
    name: 'a PDF that is an archive',
    declared: 'application/pdf',
    bytes: () => text('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\nPK\x05\x06', '\0'.repeat(18)),
    found: 'application/pdf',
    ...noPicture,
  },
  // Lies.
  {
    name: 'a page that calls itself a PNG',
    declared: 'image/png',
    bytes: () => text('<!DOCTYPE html><script>alert(1)</script>'),
    found: 'UnsupportedMediaType',
    made: 'FileIsDamaged',
  },
  {
    name: 'a page behind spaces and comments',
    declared: 'image/jpeg',
    bytes: () => text('\n\t <!-- x --> <html><body onload=alert(1)>'),
    found: 'UnsupportedMediaType',
    made: 'FileIsDamaged',
  },
  {
    name: 'a page in UTF-16',
    declared: 'text/html',
    bytes: () =>
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<html><script>1</script>', 'utf16le')]),
    found: 'text/html',
    ...noPicture,
  },
  {
    name: 'a drawing that calls itself a PNG',
    declared: 'image/png',
    bytes: () => svg(rect),
    found: 'UnsupportedMediaType',
    made: 'ok',
  },
  { name: 'a JPEG that calls itself a PNG', ...jpeg, declared: 'image/png', bytes: () => as('jpeg') },
  {
    name: 'a program that calls itself a picture',
    declared: 'image/webp',
    bytes: () => Buffer.concat([text('\x7fELF'), Buffer.alloc(100)]),
    found: 'UnsupportedMediaType',
    made: 'FileIsDamaged',
  },
  {
    name: 'a script',
    declared: 'text/javascript',
    bytes: () => text('alert(1)'),
    found: 'text/plain',
    ...noPicture,
  },
  {
    name: 'a page that calls itself Markdown',
    declared: 'text/markdown',
    bytes: () => text('<div>本文</div>'),
    found: 'text/markdown',
    ...noPicture,
  },
  {
    name: 'XML with a style sheet of its own',
    declared: 'application/xml',
    bytes: () => text('<?xml version="1.0"?><?xml-stylesheet href="#x" type="text/xsl"?><a/>'),
    found: 'application/xml',
    ...noPicture,
  },
  {
    name: 'XHTML in XML',
    declared: 'text/xml',
    bytes: () =>
      text('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>1</script></html>'),
    found: 'application/xml',
    ...noPicture,
  },
  // Drawings that do more than draw.
  { name: 'a drawing with a script', ...drawing, bytes: () => svg(`<script>alert(1)</script>${rect}`) },
  {
    name: 'a drawing with events',
    ...drawing,
    bytes: () =>
      svg(`<rect width="9" height="9" onclick="alert(1)"/>`, 'width="64" height="32" onload="alert(1)"'),
  },
  {
    name: 'a drawing with foreign content',
    ...drawing,
    bytes: () =>
      svg(
        `<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/></foreignObject>${rect}`,
      ),
  },
  {
    name: 'a drawing that uses another',
    ...drawing,
    bytes: () => svg(`<use xlink:href="http://evil.example/x.svg#a"/>${rect}`),
  },
  {
    name: 'a drawing that uses itself without end',
    ...drawing,
    bytes: () => svg(`<g id="a"><use href="#a"/><use href="#a"/></g>${rect}`),
  },
  {
    name: 'a drawing with an external entity',
    ...drawing,
    found: 'UnsupportedMediaType',
    made: 'FileIsDamaged',
    bytes: () =>
      text(
        '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        svg('<text y="20">&x;</text>').toString(),
      ),
  },
  {
    name: 'a drawing of a billion laughs',
    ...drawing,
    found: 'UnsupportedMediaType',
    bytes: () => text(laughs, svg('<text y="20">&j;</text>').toString()),
    made: 'FileIsDamaged',
  },
  {
    name: 'a drawing with a declaration',
    ...drawing,
    bytes: () =>
      text(
        '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
        svg(`<!-- x -->${rect}`).toString(),
      ),
  },
  {
    name: 'a drawing with styles from elsewhere',
    ...drawing,
    bytes: () =>
      svg(
        `<style>@import url(http://evil.example/a.css)</style><rect width="9" height="9" style="fill:url(http://evil.example/#a)"/>`,
      ),
  },
  {
    name: 'a drawing with a link and a picture',
    ...drawing,
    bytes: () =>
      svg(
        `<a href="javascript:alert(1)"><rect width="9" height="9"/></a><image href="http://evil.example/a.png" width="9" height="9"/>`,
      ),
  },
  {
    name: 'a drawing with an animated address',
    ...drawing,
    bytes: () => svg(`<a><animate attributeName="href" values="javascript:alert(1)"/>${rect}</a>`),
  },
  {
    name: 'a drawing of a billion pixels',
    ...drawing,
    ...tooLarge,
    bytes: () => svg(rect, 'width="100000" height="100000"'),
  },
  {
    name: 'a drawing without an end',
    ...drawing,
    found: 'FileIsDamaged',
    bytes: () => text('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="32"><g><rect width="9"'),
    made: 'FileIsDamaged',
  },
  {
    name: 'a packed drawing',
    declared: 'image/svg+xml',
    bytes: () => gzipSync(svg(rect)),
    found: 'UnsupportedMediaType',
    made: 'ok',
  },
  // Bombs.
  {
    name: '900 megapixels in a few KB',
    ...pngs,
    ...tooLarge,
    bytes: () => bitPng(30_000, 30_000, { data: deflateSync(Buffer.alloc(1000)) }),
  },
  {
    name: 'a JPEG whose header lies about its size',
    ...jpeg,
    ...tooLarge,
    bytes: () => jpegOfSize(65_000, 65_000),
  },
  { name: 'a GIF of 10,000 frames', declared: 'image/gif', ...tooLarge, bytes: () => blackGif(10_000, 1, 1) },
  {
    name: 'a GIF of 300 megapixels in all',
    declared: 'image/gif',
    ...tooLarge,
    bytes: () => blackGif(300, 1000, 1000),
  },
  {
    name: 'a packed text of 100 MB in a PNG',
    ...pngs,
    bytes: () =>
      bitPng(8, 8, {
        others: [chunk('zTXt', Buffer.concat([text('Comment\0\0'), deflateSync(Buffer.alloc(100_000_000))]))],
      }),
  },
  {
    name: 'a packed profile of 100 MB in a PNG',
    ...pngs,
    bytes: () =>
      bitPng(8, 8, {
        others: [chunk('iCCP', Buffer.concat([text('x\0\0'), deflateSync(Buffer.alloc(100_000_000))]))],
      }),
  },
  {
    name: 'more pixels than its header says',
    ...pngs,
    bytes: () => bitPng(8, 8, { data: deflateSync(Buffer.alloc(50_000_000)) }),
  },
  // Damaged.
  {
    name: 'nothing',
    declared: 'image/png',
    bytes: () => Buffer.alloc(0),
    found: 'FileIsEmpty',
    made: 'FileIsDamaged',
  },
  ...(['jpeg', 'png', 'webp', 'avif'] as const).map((format) => ({
    name: `half a ${format}`,
    declared: `image/${format}`,
    bytes: async () => half(await photo(format)),
    ...damaged,
  })),
  {
    name: 'half a tiff',
    declared: 'image/tiff',
    bytes: async () => half(await photo('tiff')),
    found: 'UnsupportedMediaType',
    made: 'FileIsDamaged',
  },
  {
    name: 'a PNG with a wrong sum',
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
  { name: 'a PNG of no pixels', declared: 'image/png', ...damaged, bytes: () => bitPng(0, 0) },
  {
    name: 'noise behind a JPEG’s first bytes',
    declared: 'image/jpeg',
    ...damaged,
    bytes: () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2000, 0x5a)]),
  },
  // Odd, and right.
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
    name: 'grey with alpha',
    ...pngs,
    bytes: async () =>
      sharp(await png())
        .greyscale()
        .ensureAlpha(0.5)
        .png()
        .toBuffer(),
  },
  { name: 'one pixel', ...pngs, bytes: () => quadrants(1, 1) },
  { name: 'a line of 65,535 pixels', ...pngs, bytes: () => bitPng(65_535, 1) },
  { name: 'a column of 65,535 pixels', ...pngs, bytes: () => bitPng(1, 65_535) },
  {
    name: 'a JPEG of another orientation',
    ...jpeg,
    bytes: async () =>
      sharp(await png())
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer(),
  },
  {
    name: 'an orientation that does not exist',
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
    name: 'an EXIF that refers to itself',
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
    name: 'an EXIF that ends in the middle',
    ...jpeg,
    bytes: () => withSegment(0xe1, exif(Buffer.from('49492a00ffffff7f', 'hex'))),
  },
  {
    name: 'an EXIF of 64 KB',
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
    name: 'a moving WebP',
    declared: 'image/webp',
    bytes: () =>
      sharp(blackGif(3, 8, 8), { animated: true })
        .webp()
        .toBuffer(),
    found: 'image/webp',
    made: 'ok',
  },
  {
    name: 'a moving PNG',
    ...pngs,
    bytes: () => bitPng(8, 8, { others: [chunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]))] }),
  },
]
