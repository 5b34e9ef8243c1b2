/* Files that other features receive from outside and store like assets, in rows of their own. */

export {
  type InspectedFile,
  inspectFile,
  receiveFile,
  storeFile,
  type UploadContext,
} from './assets.files.ts'
export { safeFileName } from './file-name.ts'
export { type Incoming, openFolder } from './incoming.ts'
