import { type AssetSettings, acceptIssues, assetSettings, assetValue } from './asset-value.ts'
import type { FieldType } from './field-type.ts'

export const image = {
  type: 'IMAGE' as const,
  settings: assetSettings('image/*'),
  ...assetValue,
  typeScript: (_settings, names) => names.client('Image'),
  settingsIssues: ({ accept }) =>
    acceptIssues(accept, (parts) => parts.length > 0 && parts.every((part) => part.startsWith('image/'))),
  from: { FILE: (item) => ({ item }) },
} satisfies FieldType<AssetSettings, string>
