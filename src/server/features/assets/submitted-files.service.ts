/* Files that other features receive from outside and store like assets, in rows of their own. */

export { keepFile, receiveFile, type UploadContext } from './assets.files.ts'
export { safeFileName } from './file-name.ts'
export type { Incoming } from './incoming.ts'
