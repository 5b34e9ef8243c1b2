import { showBeside } from '#admin/lib/companions.ts'
import { UploadPanel } from './upload-panel.tsx'
import { addUploads, type Batch, type UploadOptions } from './uploads.ts'

/**
 * Uploads files into the library of space `p`; for a public URL the server fetches the file. A panel on every page
 * shows the progress.
 */
export function startUploads(p: string, sources: readonly (File | URL)[], options?: UploadOptions): Batch {
  showBeside(UploadPanel)
  return addUploads(p, sources, options)
}
