import {
  type AppManifest,
  documentsPath,
  filePath,
  type PortableApp,
  type PortableAsset,
  revisionsPath,
} from './app-format.ts'
import { AppLines, InvalidLine } from './app-lines.ts'
import type { Report } from './problems.ts'
import type { ArchiveSource } from './source.ts'

type Listed = ReadonlyMap<string, AppManifest['files'][number]>

/** Returns the files of a manifest by path. Reports duplicates. */
export function listFiles({ files }: Pick<AppManifest, 'files'>, report: Report): Listed {
  const listed = new Map<string, AppManifest['files'][number]>()
  for (const file of files) {
    if (listed.has(file.path)) report('manifest', `files: ${file.path} (2)`)
    listed.set(file.path, file)
  }
  return listed
}

/** Reports files that are listed but not expected, and files that are expected but not listed. */
export function compareFiles(listed: Listed, expected: ReadonlySet<string>, report: Report): void {
  for (const path of expected) if (!listed.has(path)) report('manifest', `files: ${path}`)
  for (const path of listed.keys()) if (!expected.has(path)) report('extra', path)
}

interface Verified {
  app: PortableApp | undefined
  documents: number
  missing: number
}

/**
 * Verifies an app's archive: every line and count, that each file in the manifest is used, and that the manifest lists
 * each used file.
 */
export async function verifyApp(
  source: ArchiveSource,
  manifest: AppManifest,
  report: Report,
): Promise<Verified> {
  const listed = listFiles(manifest, report)
  const expected = new Set<string>()
  const verified = await verifyParts(source, manifest, { listed, expected, onAsset: () => {} }, report)
  compareFiles(listed, expected, report)
  return verified
}

interface Around {
  listed: Listed
  /** Collects the files that the app uses. */
  expected: Set<string>
  onAsset(asset: PortableAsset): void
}

/**
 * Works like {@link verifyApp}, but does not compare `listed` with `expected`, because other apps may use further
 * files.
 */
export async function verifyParts(
  source: ArchiveSource,
  manifest: AppManifest,
  { listed, expected, onAsset }: Around,
  report: Report,
): Promise<Verified> {
  const lines = new AppLines(source, manifest)
  for (const path of ['app.json', 'assets.ndjson']) expected.add(path)
  const app = await lines.app().catch(() => undefined)
  if (!app) report('line', 'app.json')
  const documents = await verifyDocuments(lines, manifest, app, report)
  const revisions = await verifyRevisions(lines, manifest, app, report)
  for (const { documents: part, revisions: past } of manifest.models) {
    expected.add(part.path)
    if (past) expected.add(past.path)
  }

  const own = new Set<string>()
  const found = { all: 0, files: 0, bytes: 0 }
  let missing = 0
  await everyLine(lines.assets(), 'assets.ndjson', report, (asset) => {
    found.all += 1
    onAsset(asset)
    if (asset.path === null) missing += 1
    else if (asset.path !== filePath(asset)) report('name', asset.path)
    else if (expectFile(asset, asset._id)) {
      found.files += 1
      found.bytes += asset.bytes
    }
  })
  for (const picture of [app?.app.icon, app?.app.cover])
    if (picture?.type === 'image') expectFile(picture, 'app.json')
  for (const key of ['all', 'files', 'bytes'] as const)
    expectEqual(report, `counts.assets.${key}`, manifest.counts.assets[key], found[key])
  expectEqual(report, 'counts.documents', manifest.counts.documents, documents)
  expectEqual(report, 'counts.revisions', manifest.counts.revisions ?? 0, revisions)
  return { app, documents, missing }

  /**
   * Reports the file unless the manifest lists it with the same hash and size. Returns true for the first use of the
   * file by this app.
   */
  function expectFile(file: { sha256: string; bytes: number }, user: string): boolean {
    const path = filePath(file)
    const there = listed.get(path)
    if (there?.sha256 !== file.sha256 || there.bytes !== file.bytes) report('asset', `${path} (${user})`)
    const isNew = !own.has(path)
    own.add(path)
    expected.add(path)
    return isNew
  }
}

/** Reports a number in the manifest that differs from the actual count. */
export function expectEqual(report: Report, what: string, is: number, should: number): void {
  if (is !== should) report('count', `${what}: ${is} ≠ ${should}`)
}

async function verifyDocuments(
  lines: AppLines,
  manifest: AppManifest,
  app: PortableApp | undefined,
  report: Report,
): Promise<number> {
  const uids = manifest.models.map(({ uid }) => uid)
  if (app && app.models.map(({ uid }) => uid).join('\n') !== uids.join('\n'))
    report('manifest', 'models ≠ app.json')
  let documents = 0
  for (const { uid, documents: part } of manifest.models) {
    // The file must be named after the model's uid. A file with another name belongs to another model.
    if (part.path !== documentsPath(uid)) report('manifest', `models: ${uid} → ${part.path}`)
    const names = new Set(app?.models.find((model) => model.uid === uid)?.fields.map((field) => field.uid))
    let count = 0
    await everyLine(lines.documents(uid), part.path, report, ({ _id, current, published }) => {
      count += 1
      const values = published === null || published === 'same' ? current : { ...current, ...published }
      for (const name of Object.keys(values))
        if (app && !names.has(name)) report('model', `${uid}/${_id}: ${name}`)
    })
    if (count !== part.count) report('count', `${part.path}: ${count} ≠ ${part.count}`)
    documents += count
  }
  return documents
}

/**
 * Verifies that each revision belongs to a document of the archive and is consistent with the states in its `is`.
 * Returns the number of revisions.
 */
async function verifyRevisions(
  lines: AppLines,
  manifest: AppManifest,
  app: PortableApp | undefined,
  report: Report,
): Promise<number> {
  let revisions = 0
  for (const { uid, revisions: part } of manifest.models) {
    if (!part) continue
    if (part.path !== revisionsPath(uid)) report('manifest', `models: ${uid} → ${part.path}`)
    const names = new Set(app?.models.find((model) => model.uid === uid)?.fields.map((field) => field.uid))
    const documents = new Map<string, boolean>()
    // Problems of the documents have already been reported.
    await everyLine(
      lines.documents(uid),
      '',
      () => {},
      ({ _id, published }) => void documents.set(_id, published !== null),
    )
    let count = 0
    const states = new Set<string>()
    await everyLine(lines.revisions(uid), part.path, report, ({ _id, version, is, values }) => {
      count += 1
      const isPublished = documents.get(_id)
      const at = `${part.path}: ${_id} ${version}`
      if (isPublished === undefined) report('reference', at)
      else if ((values === null) !== is.length > 0 || (is.includes('published') && !isPublished))
        report('line', at)
      for (const state of is) {
        if (states.has(`${_id} ${state}`)) report('repeated', `${at} ${state}`)
        states.add(`${_id} ${state}`)
      }
      for (const name of Object.keys(values ?? {}))
        if (app && !names.has(name)) report('model', `${uid}/${_id}: ${name}`)
    })
    if (count !== part.count) report('count', `${part.path}: ${count} ≠ ${part.count}`)
    revisions += count
  }
  return revisions
}

/**
 * Visits the lines of a file. Stops at an unreadable line and reports it, because the order of the following lines
 * cannot be checked.
 */
async function everyLine<Line>(
  lines: AsyncIterable<Line>,
  path: string,
  report: Report,
  visit: (line: Line) => void,
): Promise<void> {
  try {
    for await (const line of lines) visit(line)
  } catch (error) {
    report('line', error instanceof InvalidLine ? error.what : path)
  }
}
