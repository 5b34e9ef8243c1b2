import { type AssetSettings, acceptIssues, assetSettings, assetValue } from './asset-value.ts'
import type { FieldType } from './field-type.ts'

const anyImage = 'image/*'

/** A picture of the media library, by its `_id`. */
export const image = {
  type: 'IMAGE' as const,
  settings: assetSettings(anyImage),
  ...assetValue,
  settingsIssues: ({ accept }) => acceptIssues(accept, (part) => part.startsWith('image/')),
  asset: { accept: ({ accept }) => accept.trim() || anyImage },
  from: { FILE: (item) => ({ item }) },
} satisfies FieldType<AssetSettings, string>
