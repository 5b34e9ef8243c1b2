import type { PortableAsset } from './app-format.ts'
import { assetsFolder } from './names.ts'
import type { Report } from './problems.ts'
import type { ArchiveSource } from './source.ts'
import { memberFolder, membersOf, type SpaceManifest } from './space-format.ts'
import { compareFiles, expectEqual, listFiles, verifyParts } from './verify-app.ts'

/** Verifies the archive of a space: each app as if it were a separate archive, and that shared files are consistent. */
export async function verifySpace(
  source: ArchiveSource,
  manifest: SpaceManifest,
  report: Report,
): Promise<{ documents: number; missing: number }> {
  const listed = listFiles(manifest, report)
  const expected = new Set<string>()
  const uids = new Set<string>()
  const library = new Library(report)
  let [documents, revisions] = [0, 0]
  for (const { uid, folder, source: inside, manifest: own } of membersOf(source, manifest)) {
    if (uids.has(uid)) report('manifest', `apps: ${uid} (2)`)
    else if (folder !== memberFolder(uid)) report('manifest', `apps: ${uid} → ${folder}`)
    if (uids.has(uid) || folder !== memberFolder(uid)) continue
    uids.add(uid)
    const placeOf = (path: string) => (path.startsWith(assetsFolder) ? path : `${folder}/${path}`)
    const named = new Set<string>()
    const { app, documents: found } = await verifyParts(
      inside,
      own,
      { listed, expected: named, onAsset: (asset) => library.add(asset, folder) },
      (kind, what) => report(kind, placeOf(what)),
    )
    if (app && app.app.uid !== uid) report('manifest', `apps: ${uid} ≠ ${folder}/app.json`)
    for (const path of named) expected.add(placeOf(path))
    documents += found
    revisions += own.counts.revisions ?? 0
  }
  compareFiles(listed, expected, report)
  const { counts } = manifest
  expectEqual(report, 'counts.documents', counts.documents, documents)
  expectEqual(report, 'counts.revisions', counts.revisions ?? 0, revisions)
  const { missing, ...assets } = library.counts()
  for (const key of ['all', 'files', 'bytes'] as const)
    expectEqual(report, `counts.assets.${key}`, counts.assets[key], assets[key])
  return { documents, missing }
}

/** The assets of all apps. A shared asset must have the same hash in each. */
class Library {
  readonly #report: Report
  readonly #hashes = new Map<string, string>()
  readonly #files = new Map<string, number>()
  #missing = 0

  constructor(report: Report) {
    this.#report = report
  }

  add({ _id, sha256, path, bytes }: PortableAsset, folder: string): void {
    const known = this.#hashes.get(_id)
    if (known === undefined) {
      this.#hashes.set(_id, sha256)
      if (path === null) this.#missing += 1
    } else if (known !== sha256) this.#report('repeated', `${folder}/assets.ndjson: ${_id}`)
    if (path !== null) this.#files.set(path, bytes)
  }

  counts() {
    const bytes = [...this.#files.values()].reduce((sum, size) => sum + size, 0)
    return { all: this.#hashes.size, files: this.#files.size, bytes, missing: this.#missing }
  }
}
