import { showBeside } from '#admin/lib/companions.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { UploadPanel } from './upload-panel.tsx'
import { addUploads } from './uploads.ts'

/**
 * Uploads files, or fetches public addresses, into the library of space `p`; a panel beside every page shows how far
 * they are. Resolves when all have come to an end, with the assets they became, in order.
 */
export function startUploads(p: string, sources: readonly (File | URL)[], accept?: string): Promise<Asset[]> {
  showBeside(UploadPanel)
  return addUploads(p, sources, accept)
}
