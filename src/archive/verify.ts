import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { appFormatVersion } from './app-format.ts'
import { NotAnArchive, UnsafeName } from './errors.ts'
import { hashOf, linesIn } from './files.ts'
import { assetLineSchema, gapSchema, type Manifest } from './format.ts'
import { type AnyManifest, readAnyManifest } from './manifest.ts'
import type { Files, ProblemKind, Report } from './problems.ts'
import { readSignature, type Signature, signaturePath } from './signature.ts'
import { type ArchiveSource, openArchive, TooManyBytes } from './source.ts'
import { verifyApp } from './verify-app.ts'
import { verifyContents } from './verify-contents.ts'
import { verifyManifest } from './verify-manifest.ts'
import { verifySpace } from './verify-space.ts'

export interface Problem {
  kind: ProblemKind
  /** A path, id or URL, and the place where it is used. */
  what: string
}

export interface Verification {
  status: Manifest['status']
  /** At most the first thousand problems. */
  problems: Problem[]
  found: number
  /** Number of gaps that the archive itself lists. Version 2: number of assets without a file. */
  listed: number
  files: number
  contents: number
  /** null for archives of contents (version 1). */
  signature: Signature | null
}

/** Called after each file. `done`: number of files checked so far. */
export type OnProgress = (done: number, total: number) => void

interface Around {
  onProgress?: OnProgress
  /** Subfolder that contains the archive, if there are several. */
  part?: string | undefined
  /** Called before any other file is read; an exception aborts the verification. */
  onManifest?: (manifest: Pick<AnyManifest['manifest'], 'files'>) => Promise<void>
}

/** Maximum number of problems in the result, because a damaged archive could have millions. */
const mostProblems = 1_000

/**
 * Verifies an archive (folder or zip): hash and size of every file, every count, reference and used asset. The manifest
 * must be consistent. Unresolved items of version 1 must be listed in gaps.ndjson. Throws `NotAnArchive`.
 */
export async function verifyArchive(
  path: string,
  { onProgress = () => {}, onManifest, part }: Around = {},
): Promise<Verification> {
  const source = await openArchive(path, part).catch(async (error: unknown) => {
    if (error instanceof UnsafeName) throw new NotAnArchive(path, 'unsafe_names', error.fileName)
    // An unreadable file is most likely a truncated zip.
    const isFile = (await stat(path).catch(() => undefined))?.isFile()
    throw new NotAnArchive(path, isFile ? 'unopenable_file' : 'other')
  })
  try {
    const read = await readAnyManifest(source, part === undefined ? path : join(path, part))
    await onManifest?.(read.manifest)
    const problems: Problem[] = []
    let found = 0
    const report = (kind: ProblemKind, what: string) => {
      found += 1
      if (found <= mostProblems) problems.push({ kind, what })
    }
    const beside = read.version === appFormatVersion ? [signaturePath] : []
    await verifyFiles(source, read.manifest, report, onProgress, beside)
    if (read.version === appFormatVersion) {
      const signature = await readSignature(source, read.text)
      if (signature.state === 'altered') report('signature', signaturePath)
      const { documents: contents, missing: listed } =
        read.of === 'space'
          ? await verifySpace(source, read.manifest, report)
          : await verifyApp(source, read.manifest, report)
      const files = read.manifest.files.length
      return { status: 'complete', problems, found, listed, files, contents, signature }
    }
    const { manifest } = read
    const listed = new Map(manifest.files.map((file) => [file.path, file]))
    const files: Files = { source, bytesOf: (name) => listed.get(name)?.bytes ?? 0, report }

    const gaps = await readTyped(files, 'gaps.ndjson', (line) => gapSchema.parse(line))
    const assets = await readTyped(files, 'assets.ndjson', (line) => assetLineSchema.parse(line))
    const saved = new Set<string>()
    for (const { url, path: place, sha256, bytes } of assets) {
      const file = listed.get(place)
      if (file?.sha256 === sha256 && file.bytes === bytes) saved.add(url)
      else report('asset', url)
    }
    verifyManifest(manifest, gaps, assets, report)

    const contents = await verifyContents(files, manifest, gaps, saved)
    const { status } = manifest
    return {
      status,
      problems,
      found,
      listed: gaps.length,
      files: manifest.files.length,
      contents,
      signature: null,
    }
  } finally {
    source.close()
  }
}

async function verifyFiles(
  source: ArchiveSource,
  manifest: Pick<Manifest, 'files'>,
  report: Report,
  onProgress: OnProgress,
  beside: readonly string[],
): Promise<void> {
  let done = 0
  for (const { path, bytes, sha256 } of manifest.files) {
    if (!(await source.has(path))) report('lost', path)
    else {
      try {
        const found = await hashOf(source.read(path, bytes))
        if (found.bytes !== bytes) report('size', path)
        else if (found.sha256 !== sha256) report('hash', path)
      } catch (error) {
        report(error instanceof TooManyBytes ? 'size' : 'lost', path)
      }
    }
    done += 1
    onProgress(done, manifest.files.length)
  }
  const listed = new Set(['manifest.json', ...beside, ...manifest.files.map(({ path }) => path)])
  for await (const path of source.list()) if (!listed.has(path)) report('extra', path)
}

async function readTyped<Line>(
  { source, bytesOf, report }: Files,
  path: string,
  parse: (line: unknown) => Line,
): Promise<Line[]> {
  const lines: Line[] = []
  try {
    for await (const { text, offset } of linesIn(source.read(path, bytesOf(path)))) {
      try {
        lines.push(parse(JSON.parse(text.toString('utf8'))))
      } catch {
        report('line', `${path} @${offset}`)
      }
    }
  } catch {
    report('line', path)
  }
  return lines
}
