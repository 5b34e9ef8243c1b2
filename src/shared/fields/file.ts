import { type AssetSettings, acceptIssues, assetSettings, assetValue } from './asset-value.ts'
import type { FieldType } from './field-type.ts'

export const file = {
  type: 'FILE' as const,
  settings: assetSettings(''),
  ...assetValue,
  typeScript: (_settings, names) => names.client('File'),
  settingsIssues: ({ accept }) => acceptIssues(accept),
  from: { IMAGE: (item) => ({ item }) },
} satisfies FieldType<AssetSettings, string>
