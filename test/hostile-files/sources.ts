import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { zipped } from '../source-fixtures.ts'

/**
 * A hostile file that a user might upload as an export of another service to overload the server, and the expected
 * result.
 */
export interface HostileSource {
  name: string
  fileName: string
  bytes(): Buffer | Promise<Buffer>
  /** The error code and the detail of the refusal. `planned`: the file is accepted. */
  refused: [code: string, kind?: string] | 'planned'
}

const times = (count: number, make: (index: number) => string, between = '') =>
  Array.from({ length: count }, (_, index) => make(index)).join(between)
const keys = (count: number) => times(count, (index) => `k${index}: ${index}`, '\n')
const frontMatter = (yaml: string) => Buffer.from(`---\n${yaml}\n---\ntext`)
const object = (count: number) => `{${times(count, (index) => `"k${index}":${index}`, ',')}}`
const wxr = (item: string) =>
  Buffer.from(
    `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>x</title><item><title>t</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status>${item}</item></channel></rss>`,
  )
const post = (html: string) => wxr(`<content:encoded><![CDATA[${html}]]></content:encoded>`)
const contents = (values: object) => Buffer.from(JSON.stringify([{ title: 'a', ...values }]))

async function manyInTar(
  count: number,
  nameOf = (index: number) => `${index}.md`,
  text = '# a',
): Promise<Buffer> {
  const tar = pack()
  for (let index = 0; index < count; index++) tar.entry({ name: nameOf(index) }, text)
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return gzipSync(Buffer.concat(chunks))
}

const manyInZip = (count: number) =>
  zipped(new Map(Array.from({ length: count }, (_, index) => [`${index}.md`, Buffer.from('# a')])))

/** Returns a zip whose directory lists `count` empty files, all at the same offset. */
function emptyInZip(count: number, nameOf: (index: number) => string): Buffer {
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  const entries = Array.from({ length: count }, (_, index) => {
    const name = Buffer.from(nameOf(index))
    const head = Buffer.alloc(46)
    head.writeUInt32LE(0x02014b50, 0)
    head.writeUInt16LE(name.length, 28)
    return Buffer.concat([head, name])
  })
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, directory, end])
}

const tooComplex = (kind: string): ['tooComplex', string] => ['tooComplex', kind]

export const hostileSources: HostileSource[] = [
  {
    name: 'front matter of 12,000 keys',
    fileName: 'a.md',
    bytes: () => frontMatter(keys(12_000)),
    refused: tooComplex('bytes'),
  },
  {
    name: 'front matter of 60,000 keys',
    fileName: 'a.md',
    bytes: () => frontMatter(keys(60_000)),
    refused: tooComplex('bytes'),
  },
  {
    name: 'front matter of 5,000 short keys',
    fileName: 'a.md',
    bytes: () => frontMatter(times(5_000, (index) => `${index.toString(36)}_: 1`, '\n')),
    refused: tooComplex('keys'),
  },
  {
    name: 'front matter of 4,000 aliases',
    fileName: 'a.md',
    bytes: () =>
      frontMatter(
        `${times(4_000, (index) => `- &a${index} x`, '\n')}\n${times(4_000, (index) => `- *a${index}`, '\n')}`,
      ),
    refused: tooComplex('aliases'),
  },
  {
    name: 'front matter of 50,000 brackets',
    fileName: 'a.md',
    bytes: () => frontMatter('['.repeat(50_000)),
    refused: ['brokenSource', 'yaml'],
  },
  {
    name: 'a snapshot of 60,000 keys',
    fileName: 'snapshot.yaml',
    bytes: () => Buffer.from(`version: 1\ndirectus: 11\n${keys(60_000)}`),
    refused: tooComplex('keys'),
  },
  {
    name: 'a list with an object of 6,000 keys',
    fileName: 'a.json',
    bytes: () => Buffer.from(`[${object(6_000)}]`),
    refused: tooComplex('keys'),
  },
  {
    name: 'a list with an object of 60,000 keys',
    fileName: 'a.json',
    bytes: () => Buffer.from(`[${object(60_000)}]`),
    refused: tooComplex('values'),
  },
  {
    name: 'an object of 60,000 keys',
    fileName: 'a.json',
    bytes: () => Buffer.from(object(60_000)),
    refused: tooComplex('keys'),
  },
  {
    name: 'JSON of 100,000 levels',
    fileName: 'a.json',
    bytes: () => Buffer.from(`[{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`),
    refused: tooComplex('depth'),
  },
  {
    name: 'JSON of a million empty objects',
    fileName: 'a.json',
    bytes: () => Buffer.from(`[{"a":[${times(1_000_000, () => '{}', ',')}]}]`),
    refused: tooComplex('parts'),
  },
  {
    name: 'a list of a million numbers',
    fileName: 'a.json',
    bytes: () => Buffer.from(`[${times(1_000_000, () => '1', ',')}]`),
    refused: ['unknownSource'],
  },
  {
    name: 'contents of 4,000 keys',
    fileName: 'a.json',
    bytes: () => Buffer.from(`[${times(20, () => object(4_000), ',')}]`),
    refused: 'planned',
  },
  {
    name: 'contents of 48,000 values',
    fileName: 'a.json',
    bytes: () => contents({ list: new Array(38_000).fill(1), more: new Array(10_000).fill('ab') }),
    refused: 'planned',
  },
  {
    name: 'HTML of 100,000 levels',
    fileName: 'a.json',
    bytes: () => contents({ body: '<div>'.repeat(100_000) }),
    refused: 'planned',
  },
  {
    name: 'HTML of pictures without an end',
    fileName: 'a.json',
    bytes: () => contents({ body: '<img '.repeat(400_000) }),
    refused: 'planned',
  },
  {
    name: 'a table of 100,000 columns',
    fileName: 'a.csv',
    bytes: () => Buffer.from(`${times(3, () => times(100_000, (index) => `c${index}`, ','), '\n')}\n`),
    refused: ['unknownSource'],
  },
  {
    name: 'a table of 5,000 columns',
    fileName: 'a.csv',
    bytes: () => Buffer.from(`${times(9, () => times(5_000, () => 'a', ','), '\n')}\n`),
    refused: tooComplex('columns'),
  },
  {
    name: 'a quote that is never closed',
    fileName: 'a.csv',
    bytes: () => Buffer.from(`a,b\nc,d\n1,"${'x,\n'.repeat(4_000_000)}`),
    refused: ['brokenSource', 'CSV_MAX_RECORD_SIZE'],
  },
  {
    name: 'XML of 100,000 attributes',
    fileName: 'a.xml',
    bytes: () => wxr(`<x ${times(100_000, (index) => `a${index}="1"`, ' ')}/>`),
    refused: tooComplex('attributes'),
  },
  {
    name: 'XML of 100,000 elements',
    fileName: 'a.xml',
    bytes: () => wxr('<wp:postmeta/>'.repeat(100_000)),
    refused: tooComplex('elements'),
  },
  {
    name: 'XML of 100,000 entities',
    fileName: 'a.xml',
    bytes: () => wxr(`<description>${'&amp;'.repeat(100_000)}</description>`),
    refused: 'planned',
  },
  {
    name: 'XML of 100,000 levels',
    fileName: 'a.xml',
    bytes: () => wxr('<a>'.repeat(100_000)),
    refused: tooComplex('depth'),
  },
  {
    name: 'a post of blocks without an end',
    fileName: 'a.xml',
    bytes: () => post(`<!-- wp:p${'<!-- wp:p '.repeat(300_000)}`),
    refused: 'planned',
  },
  {
    name: 'a post of captions without an end',
    fileName: 'a.xml',
    bytes: () =>
      post(
        `${'[caption '.repeat(100_000)}${'<pre '.repeat(100_000)}${'http://'.repeat(100_000)}${'<p '.repeat(100_000)}`,
      ),
    refused: 'planned',
  },
  {
    name: 'Markdown of 100,000 brackets',
    fileName: 'a.md',
    bytes: () => Buffer.from(`# a\n${'['.repeat(100_000)}`),
    refused: 'planned',
  },
  {
    name: 'Markdown of 100,000 marks of emphasis',
    fileName: 'a.md',
    bytes: () => Buffer.from(`# a\n${'*a_ '.repeat(50_000)}`),
    refused: 'planned',
  },
  {
    name: 'Markdown of 50,000 unclosed pictures',
    fileName: 'a.md',
    bytes: () => Buffer.from(`# a\n${'!['.repeat(50_000)}`),
    refused: 'planned',
  },
  { name: 'a zip of 1,000 texts', fileName: 'a.zip', bytes: () => manyInZip(1_000), refused: 'planned' },
  { name: 'a tar of 500 texts', fileName: 'a.tar.gz', bytes: () => manyInTar(500), refused: 'planned' },
  {
    name: 'a zip of 8,000 files and a manifest',
    fileName: 'a.zip',
    bytes: () => emptyInZip(8_000, (index) => (index === 0 ? 'manifest.json' : `${index}.bin`)),
    refused: ['notAnArchive'],
  },
  {
    name: 'a zip of 300 folders of 30,000 levels',
    fileName: 'a.zip',
    bytes: () => emptyInZip(300, (index) => `${'a/'.repeat(30_000)}${index}`),
    refused: ['unknownSource'],
  },
  {
    name: 'a tar of 20,000 folders',
    fileName: 'a.tar.gz',
    bytes: () => manyInTar(20_000, (index) => `${index}/`, ''),
    refused: ['unknownSource'],
  },
]
