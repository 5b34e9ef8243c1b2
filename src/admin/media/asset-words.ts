import type { Asset } from '#shared/contract/assets.ts'

export type AssetKind = 'image' | 'video' | 'audio' | 'pdf' | 'other'

/** What a file is, as far as it decides how it is shown. */
export function kindOf(fileType: string): AssetKind {
  if (fileType === 'application/pdf') return 'pdf'
  const [group] = fileType.split('/')
  return group === 'image' || group === 'video' || group === 'audio' ? group : 'other'
}

/** What people call an asset. */
export const titleOfAsset = (asset: Pick<Asset, 'title' | 'fileName'>): string =>
  asset.title.trim() || asset.fileName

/** `pdf` for `報告.PDF`; empty without one. */
export const extensionOf = (fileName: string): string =>
  /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''
