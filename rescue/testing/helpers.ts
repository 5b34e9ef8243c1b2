import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { inflateRawSync } from 'node:zlib'
import yazl from 'yazl'
import { verifyArchive } from '#archive/verify.ts'
import { createReporter } from '#rescue/cli/progress.ts'
import { messagesFor } from '#rescue/messages/messages.ts'
import type { RescueOptions } from '#rescue/run/options.ts'
import { rescue } from '#rescue/run/rescue.ts'
import type { StandIn } from '#test/newt-stand-in/server.ts'

/** Creates a temporary folder. Returns its path and a function to remove it. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'imori-rescue-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** Returns a reporter that records all printed text. */
export function recorder() {
  let printed = ''
  const text = messagesFor('en')
  const reporter = createReporter({ write: (line: string) => (printed += line) }, text)
  return { reporter, text, printed: () => printed }
}

/** Returns options to save the stand-in's app, by default with both tokens and with short pauses. */
export function optionsFor(
  standIn: StandIn,
  out: string,
  change: Partial<RescueOptions> = {},
): RescueOptions {
  return {
    space: standIn.space.uid,
    app: standIn.space.app.uid,
    models: ['article'],
    tokens: { ...standIn.space.tokens },
    out,
    zip: false,
    assetHosts: [],
    origin: standIn.origin,
    hostMap: new Map([['storage.googleapis.com', standIn.origin]]),
    concurrency: 8,
    maxAssetBytes: 1_000_000,
    backoffMs: 5,
    ...change,
  }
}

/** Runs a rescue and verifies its archive. */
export async function rescueAndVerify(options: RescueOptions) {
  const { reporter, text, printed } = recorder()
  const result = await rescue(options, reporter, text)
  const verification = await verifyArchive(options.out)
  return { ...result, verification, printed: printed() }
}

/** Returns the content of every file by path, without the working folder. Files of 100,000 bytes or more are hashed. */
export async function snapshot(dir: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(dir.length + 1)
    if (!entry.isFile() || name.startsWith('.rescue')) continue
    const bytes = await readFile(path)
    files.set(
      name,
      bytes.length < 100_000 ? bytes.toString('latin1') : createHash('sha256').update(bytes).digest('hex'),
    )
  }
  return files
}

/** Returns an archive's files without times, to compare two runs of the same space. */
export async function timelessSnapshot(dir: string): Promise<Map<string, string>> {
  const files = await snapshot(dir)
  const report = files.get('report.md') ?? ''
  const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z to \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
  files.set('report.md', report.replace(time, 'TIMES'))
  const manifest = JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8'))
  manifest.startedAt = manifest.finishedAt = 'TIME'
  for (const file of manifest.files) if (file.path === 'report.md') file.sha256 = 'HASH'
  files.set('manifest.json', JSON.stringify(manifest, null, 1))
  return files
}

/** Returns the lines of an NDJSON file. */
export async function readNdjson(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter(Boolean)
}

/**
 * Returns the contents of a zip's entries by name, read from its central directory. Supports only the features that the
 * project's zips use.
 */
export async function readZip(path: string): Promise<Map<string, string>> {
  const zip = await readFile(path)
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006'))
  let at = zip.readUInt32LE(end + 16)
  const files = new Map<string, string>()
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [method, packed, nameLength] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
    ]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const bytes = zip.subarray(start, start + packed)
    files.set(name, (method === 0 ? bytes : inflateRawSync(bytes)).toString('latin1'))
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return files
}

/** Packs files (latin1 text as in `snapshot`) into a zip in a folder. Returns its path. */
export async function writeTestZip(
  dir: string,
  entries: Iterable<[string, string | Buffer]>,
): Promise<string> {
  const zip = new yazl.ZipFile()
  for (const [name, text] of entries) {
    zip.addBuffer(typeof text === 'string' ? Buffer.from(text, 'latin1') : text, name)
  }
  zip.end()
  const path = join(dir, `${randomUUID()}.zip`)
  await pipeline(zip.outputStream, createWriteStream(path))
  return path
}
