/* Portable apps are read from an app or an archive, created, and filled (docs/decisions/0056). */

export { isOwnKey } from './archive-keys.repository.ts'
export { appInArchive, archivedApp } from './portable-apps.archive.ts'
export { bringAssets, importFiles, isAboutOneFile } from './portable-apps.assets.ts'
export { type Filling, type InApp, inApp, transactionsIn } from './portable-apps.context.ts'
export { carriedDocument, fillApp, namesIn, newDocumentName } from './portable-apps.fill.ts'
export { madeId } from './portable-apps.ids.ts'
export { liveApp, readLiveApp } from './portable-apps.live.ts'
export { makeApp, namedSettings, readPortableApp } from './portable-apps.make.ts'
export { type CarryProblem, Problems } from './portable-apps.problems.ts'
export {
  advanceCarryModel,
  type CarryModelRow,
  deleteProgress,
  handOverAssets,
  insertCarryModels,
  listCarryAssets,
  listCarryModels,
  type MadeModel,
} from './portable-apps.repository.ts'
export { signingKey } from './portable-apps.signing.ts'
export type { PortableSource } from './portable-apps.source.ts'
