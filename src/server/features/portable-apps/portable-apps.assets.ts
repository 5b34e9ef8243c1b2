import { availableParallelism } from 'node:os'
import type { PortableAsset } from '#archive/app-format.ts'
import {
  type ImportedAsset,
  type ImportOutcome,
  importAsset,
  importElsewhere,
} from '#server/features/assets/asset-imports.service.ts'
import { AppError } from '#shared/errors.ts'
import { type Filling, type InApp, transactionsIn } from './portable-apps.context.ts'
import { madeId } from './portable-apps.ids.ts'
import { type CarryProblem, Problems } from './portable-apps.problems.ts'
import { type CarryAssetRow, insertCarryAsset, listCarryAssets } from './portable-apps.repository.ts'

/** Number of files processed concurrently, limited to leave capacity for requests. */
const filesAtOnce = () => Math.min(Math.max(availableParallelism(), 2), 4)

/** Codes of errors that concern one file only. The file is reported, and its URLs in texts stay unchanged. */
const aboutOneFile = new Set([
  'RequestFileTooLarge',
  'FileIsEmpty',
  'FileIsDamaged',
  'ImageIsTooLarge',
  'UnsupportedMediaType',
])

/** Problem code for a file that the archive does not contain. */
const isMissing = 'NotFound'

export const isAboutOneFile = (error: unknown): error is AppError =>
  error instanceof AppError && aboutOneFile.has(error.code)

type Bringing = InApp & Pick<Filling, 'carryId'>

/**
 * Imports files that are not in the library yet, like {@link importAsset}. Each result is recorded in the transaction
 * of its file. `known` contains the results of earlier runs, and is extended.
 */
export async function importFiles(
  bringing: Bringing,
  files: readonly ImportedAsset[],
  known: Map<string, CarryAssetRow>,
  onProgress: (done: number) => Promise<void>,
): Promise<void> {
  const { db, scope, carryId } = bringing
  const ctx = transactionsIn(bringing)
  const left = files.filter(({ id }) => !known.has(id))
  let done = files.length - left.length
  const note = async (inside: typeof db, row: CarryAssetRow) => {
    await insertCarryAsset(inside, scope, carryId, row)
    known.set(row.assetId, row)
  }
  /**
   * Imports a missing or refused file as an external one, with the metadata from its source. Without such metadata,
   * only records the problem.
   */
  const bringElsewhere = async (file: ImportedAsset, problem: string) => {
    const { elsewhere } = file
    if (!elsewhere) return note(db, { assetId: file.id, made: false, problem })
    await importElsewhere(ctx, { ...file, elsewhere }, problem !== isMissing, (inside, { made }) =>
      note(inside.db, { assetId: file.id, made, problem }),
    )
  }
  const bring = async (file: ImportedAsset) => {
    const noteBrought = (inside: { db: typeof db }, { made, same }: ImportOutcome) =>
      note(inside.db, { assetId: file.id, made, problem: same ? null : 'fileTaken' })
    try {
      if (file.staysElsewhere && file.elsewhere)
        await importElsewhere(ctx, { ...file, elsewhere: file.elsewhere }, !file.isMissing, noteBrought)
      else if (file.isMissing) await bringElsewhere(file, isMissing)
      else await importAsset(ctx, file, noteBrought)
    } catch (error) {
      if (!isAboutOneFile(error)) throw error
      await bringElsewhere(file, error.code)
    }
    done += 1
  }
  const atOnce = filesAtOnce()
  for (let at = 0; at < left.length; at += atOnce) {
    const results = await Promise.allSettled(left.slice(at, at + atOnce).map(bring))
    for (const result of results) if (result.status === 'rejected') throw result.reason
    await onProgress(done)
  }
}

export interface BroughtAssets {
  /** Number of files to import, including refused ones. */
  count: number
  /** `_id`s in the library by original `_id`. Files that were not imported are not included. */
  there: Map<string, string>
  problems: CarryProblem[]
}

/** Imports the files of a portable app. A file gets a new `_id` if another file already has its `_id`. */
export async function bringAssets(
  filling: Bringing & Pick<Filling, 'source' | 'assets'>,
  onProgress: (done: number, total: number) => Promise<void>,
): Promise<BroughtAssets> {
  const there = new Map<string, string>()
  const problems = new Problems()
  if (filling.assets === 'shared') return { count: 0, there, problems: [] }
  const { db, scope, carryId, source } = filling
  const assets: PortableAsset[] = []
  for await (const asset of source.assets()) assets.push(asset)
  const known = new Map((await listCarryAssets(db, scope, carryId)).map((row) => [row.assetId, row]))
  const files = assets.filter(({ path, elsewhere }) => path !== null || elsewhere !== undefined)
  await importFiles(
    filling,
    files.map((asset) => fileOf(filling, asset, asset._id)),
    known,
    (done) => onProgress(done, files.length),
  )
  const taken = files.filter(({ _id }) => known.get(_id)?.problem === 'fileTaken')
  const again = taken.map((asset) => fileOf(filling, asset, madeId(carryId, asset._id)))
  await importFiles(filling, again, known, () => onProgress(files.length, files.length))
  for (const { _id, fileName } of assets) {
    // Files without bytes and without an external URL have no entry.
    const reason = known.get(_id)?.problem
    const other = madeId(carryId, _id)
    if (reason === null) there.set(_id, _id)
    else if (reason === 'fileTaken' && known.get(other)?.problem === null) there.set(_id, other)
    else problems.add('fileRefused', '', fileName, { reason: reason ?? 'NotFound' })
  }
  return { count: files.length, there, problems: problems.list() }
}

function fileOf({ source }: Pick<Filling, 'source'>, asset: PortableAsset, id: string): ImportedAsset {
  const { fileName, mediaType, title, description, altText, focalPoint, tags } = asset
  const { metadata, ...elsewhere } = asset.elsewhere ?? { metadata: {} }
  return {
    id,
    fileName,
    fileType: mediaType,
    title,
    description,
    altText,
    focalPoint,
    private: asset.private,
    tags,
    metadata,
    formerUid: null,
    size: asset.bytes,
    bytes: () => source.bytes(asset),
    ...('src' in elsewhere ? { elsewhere, staysElsewhere: true } : {}),
    isMissing: asset.path === null,
  }
}
