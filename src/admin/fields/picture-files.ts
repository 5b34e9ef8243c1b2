import { loadScript } from '#admin/base/reload-guard.ts'
import type { Asset } from '#shared/contract/assets.ts'

/** The pictures that somebody has pasted or dropped as files, with nothing else that could be taken. */
export function pictureFiles(data: DataTransfer | null): File[] {
  if (data?.types.includes('text/html')) return []
  return [...(data?.files ?? [])].filter((file) => file.type.startsWith('image/'))
}

/** Uploads pictures, or fetches them from public addresses, into the library of space `p`; answers what became of those that arrived. */
export async function uploadPictures(p: string, files: readonly (File | URL)[]): Promise<Asset[]> {
  const { startUploads } = await loadScript(() => import('#admin/media/upload/start-uploads.ts'))
  return startUploads(p, files, 'image/*').done
}
