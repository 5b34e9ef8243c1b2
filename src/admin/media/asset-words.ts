import type { Asset } from '#shared/contract/assets.ts'

export type AssetKind = 'image' | 'video' | 'audio' | 'pdf' | 'other'

/** The kind of a file, which decides how it is shown. */
export function kindOf(fileType: string): AssetKind {
  if (fileType === 'application/pdf') return 'pdf'
  const [group] = fileType.split('/')
  return group === 'image' || group === 'video' || group === 'audio' ? group : 'other'
}

/** The display name of an asset. */
export const titleOfAsset = (asset: Pick<Asset, 'title' | 'fileName'>): string =>
  asset.title.trim() || asset.fileName

/** `pdf` for `報告.PDF`; empty without an extension. */
export const extensionOf = (fileName: string): string =>
  /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''
