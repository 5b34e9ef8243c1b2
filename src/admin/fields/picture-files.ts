import { loadScript } from '#admin/base/reload-guard.ts'
import type { Asset } from '#shared/contract/assets.ts'

/**
 * Returns the picture files of a paste or drop. Returns none if the data also contains HTML, which takes precedence.
 */
export function pictureFiles(data: DataTransfer | null): File[] {
  if (data?.types.includes('text/html')) return []
  return [...(data?.files ?? [])].filter((file) => file.type.startsWith('image/'))
}

/**
 * Uploads pictures into the library of space `p`; for a public URL the server fetches the picture. Returns the assets
 * of the successful uploads.
 */
export async function uploadPictures(p: string, files: readonly (File | URL)[]): Promise<Asset[]> {
  const { startUploads } = await loadScript(() => import('#admin/media/upload/start-uploads.ts'))
  return startUploads(p, files, { accept: 'image/*', forForm: true }).done
}
