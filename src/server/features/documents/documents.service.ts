export {
  type ImportedDocument,
  type ImportedRevision,
  importBatch,
  importDocuments,
  importedVersion,
  openForImport,
} from './bulk/import.ts'
export { cellText } from './reading/csv-cells.ts'
export { listDocumentPage, listRevisionPage, type PastDocument } from './reading/pages.ts'
export { presentForSites, readDocument } from './reading/read.ts'
export { purgeModelDocuments } from './trash/purge.ts'
export { bytesAtMost, isTooLarge, maximumBytes, readCarried, readReceived } from './values/input.ts'
export { publishDocument } from './writing/publish.ts'
