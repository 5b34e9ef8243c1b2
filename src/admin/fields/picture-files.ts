import { loadScript } from '#admin/base/reload-guard.ts'
import type { Asset } from '#shared/contract/assets.ts'

/** The picture files of a paste or drop; none if it also contains HTML, which takes precedence. */
export function pictureFiles(data: DataTransfer | null): File[] {
  if (data?.types.includes('text/html')) return []
  return [...(data?.files ?? [])].filter((file) => file.type.startsWith('image/'))
}

/** Uploads pictures, or has them fetched from public URLs, into the library of space `p`; returns the assets that succeeded. */
export async function uploadPictures(p: string, files: readonly (File | URL)[]): Promise<Asset[]> {
  const { startUploads } = await loadScript(() => import('#admin/media/upload/start-uploads.ts'))
  return startUploads(p, files, { accept: 'image/*', forForm: true }).done
}
