import {
  as,
  blackGif,
  damaged,
  type HostileFile,
  jpeg,
  noPicture,
  png,
  pngs,
  svg,
  text,
  withSegment,
} from './make.ts'

const rect = '<rect width="64" height="32" fill="red"/>'

/** Polyglot files, and files with a wrong declared type. */
export const lies: HostileFile[] = [
  // Polyglots: a file that decodes as a picture is served only as that picture.
  {
    name: 'a GIF that is also a script',
    declared: 'image/gif',
    bytes: () => Buffer.concat([blackGif(1, 1, 1), text('=1;alert(1)//')]),
    found: 'image/gif',
    made: 'ok',
  },
  {
    name: 'a script that begins like a GIF',
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
    name: 'a JPEG followed by a page',
    ...jpeg,
    bytes: async () => Buffer.concat([await as('jpeg'), text('<script>alert(1)</script>')]),
  },
  {
    name: 'a PNG followed by an archive',
    ...pngs,
    bytes: async () => Buffer.concat([await png(), text('PK\x03\x04evil')]),
  },
  {
    name: 'a PDF that is also an archive',
    declared: 'application/pdf',
    bytes: () => text('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\nPK\x05\x06', '\0'.repeat(18)),
    found: 'application/pdf',
    ...noPicture,
  },
  // Wrong or dangerous declared types.
  {
    name: 'a page declared as a PNG',
    declared: 'image/png',
    bytes: () => text('<!DOCTYPE html><script>alert(1)</script>'),
    found: 'UnsupportedMediaType',
    made: 'FileIsDamaged',
  },
  {
    name: 'a page after spaces and comments',
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
    name: 'a drawing declared as a PNG',
    declared: 'image/png',
    bytes: () => svg(rect),
    found: 'UnsupportedMediaType',
    made: 'ok',
  },
  { name: 'a JPEG declared as a PNG', ...jpeg, declared: 'image/png', bytes: () => as('jpeg') },
  {
    name: 'a program declared as a picture',
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
    name: 'a page declared as Markdown',
    declared: 'text/markdown',
    bytes: () => text('<div>本文</div>'),
    found: 'text/markdown',
    ...noPicture,
  },
  {
    name: 'XML with its own style sheet',
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
]
