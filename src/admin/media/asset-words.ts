import type { Asset } from '#shared/contract/assets.ts'

export type AssetKind = 'image' | 'video' | 'audio' | 'pdf' | 'other'

/** Returns the kind of a file, which decides how it is shown. */
export function kindOf(fileType: string): AssetKind {
  if (fileType === 'application/pdf') return 'pdf'
  const [group] = fileType.split('/')
  return group === 'image' || group === 'video' || group === 'audio' ? group : 'other'
}

/** Returns the display name of an asset. */
export const titleOfAsset = (asset: Pick<Asset, 'title' | 'fileName'>): string =>
  asset.title.trim() || asset.fileName

/**
 * Returns the lower-case extension of a file name (`pdf` for `報告.PDF`), or an empty text. An extension has at most five
 * ASCII letters and digits.
 */
export const extensionOf = (fileName: string): string =>
  /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''
