import { showBeside } from '#admin/lib/companions.ts'
import { UploadPanel } from './upload-panel.tsx'
import { addUploads, type Batch, type UploadOptions } from './uploads.ts'

/** Uploads files, or has public URLs fetched, into the library of space `p`; a panel beside every page shows the progress. */
export function startUploads(p: string, sources: readonly (File | URL)[], options?: UploadOptions): Batch {
  showBeside(UploadPanel)
  return addUploads(p, sources, options)
}
