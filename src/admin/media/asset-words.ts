import { useFormatter } from 'use-intl'
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

/** Writes a number of bytes as people read it: 2.3 MB. */
export function useFileSize(): (bytes: number) => string {
  const format = useFormatter()
  return (bytes) => {
    const [unit, size] =
      bytes < 1024
        ? (['byte', bytes] as const)
        : bytes < 1024 * 1024
          ? (['kilobyte', bytes / 1024] as const)
          : (['megabyte', bytes / (1024 * 1024)] as const)
    return format.number(size, {
      style: 'unit',
      unit,
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumFractionDigits: unit === 'megabyte' ? 1 : 0,
    })
  }
}
