export { cellText } from './csv-cells.ts'
export {
  type ImportedDocument,
  type ImportedRevision,
  importBatch,
  importDocuments,
  importedVersion,
  openForImport,
} from './documents.import.ts'
export { bytesAtMost, isTooLarge, maximumBytes, readCarried, readReceived } from './documents.input.ts'
export { listDocumentPage, listRevisionPage, type PastDocument } from './documents.pages.ts'
export { publishDocument } from './documents.publish.ts'
export { purgeModelDocuments } from './documents.purge.ts'
export { presentForSites, readDocument } from './documents.read.ts'
