/*
 * An app that can be carried: read from where it lies (an app here, an archive), made, and filled. Exports, moves, duplicates and
 * templates are made of these (docs/decisions/0056).
 */

export { archivedApp } from './portable-apps.archive.ts'
export { bringAssets, importFiles, isAboutOneFile } from './portable-apps.assets.ts'
export { type Filling, type InApp, inApp, transactionsIn } from './portable-apps.context.ts'
export { carriedDocument, fillApp, namesIn, newDocumentName } from './portable-apps.fill.ts'
export { madeId } from './portable-apps.ids.ts'
export { liveApp, readLiveApp } from './portable-apps.live.ts'
export { makeApp, makeParts, namedSettings, readPortableApp } from './portable-apps.make.ts'
export { type AppParts, readParts } from './portable-apps.parts.ts'
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
export { isOwnKey, signingKey } from './portable-apps.signing.ts'
export type { PortableSource } from './portable-apps.source.ts'
