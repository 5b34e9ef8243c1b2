import { showBeside } from '#admin/lib/companions.ts'
import { UploadPanel } from './upload-panel.tsx'
import { addUploads, type Batch } from './uploads.ts'

/**
 * Uploads files, or fetches public addresses, into the library of space `p`; a panel beside every page shows how far
 * they are.
 */
export function startUploads(p: string, sources: readonly (File | URL)[], accept?: string): Batch {
  showBeside(UploadPanel)
  return addUploads(p, sources, accept)
}
