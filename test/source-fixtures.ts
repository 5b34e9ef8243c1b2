import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import yazl from 'yazl'
import { quadrants } from './pictures.ts'

const folder = fileURLToPath(new URL('./fixtures/sources', import.meta.url))

export type FixtureFiles = Map<string, Buffer>

/** Returns the files of an export in `test/fixtures/sources`. `media`: origin of its pictures. */
export async function sourceFixture(
  name: string,
  media = 'https://media.example.com',
): Promise<FixtureFiles> {
  const files: FixtureFiles = new Map()
  for (const entry of await readdir(join(folder, name), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    // CSV files keep their encoding and byte order mark.
    const isOther = /\.csv$/.test(path)
    const text = bytes.toString('utf8').replaceAll('https://media.example.com', media)
    const there = path.slice(join(folder, name).length + 1).replaceAll('\\', '/')
    files.set(there, isOther ? bytes : Buffer.from(text.replaceAll('"//media.example.com', `"${media}`)))
  }
  return files
}

/** Returns a picture that the library accepts. */
export const picture = (): Promise<Buffer> => quadrants(64, 48)

/** Returns the files as a zip. */
export async function zipped(files: FixtureFiles): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  for (const [path, bytes] of files) zip.addBuffer(bytes, path)
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Returns the files as a gzipped tar. `more` adds entries that are not plain files. */
export async function tarred(
  files: FixtureFiles,
  more: (tar: ReturnType<typeof pack>) => void = () => {},
): Promise<Buffer> {
  const tar = pack()
  for (const [name, bytes] of files) tar.entry({ name }, bytes)
  more(tar)
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return gzipSync(Buffer.concat(chunks))
}
