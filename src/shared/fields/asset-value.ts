import { z } from 'zod'
import { readAccept } from '../accept.ts'
import type { Issue } from '../errors.ts'
import { idPattern } from '../identifiers.ts'
import { type OtherNames, parsed, refused } from './field-type.ts'

export interface AssetSettings {
  accept: string
}

/**
 * Creates the schema of {@link AssetSettings}. `accept` is the default filter for files, in the syntax of `<input
 * type=file accept>`.
 */
export const assetSettings = (accept: string) => ({ accept: z.string().max(1000).default(accept) })

/** The common part of all field types whose values are `_id`s of assets of the space. */
export const assetValue = {
  canBeMultiple: true,
  canBeUnique: false,
  canBeTitle: false,
  comparison: () => 'id' as const,
  searchable: false,
  empty: null,
  parse(value: unknown) {
    if (value == null || value === '') return parsed<string>(undefined)
    return typeof value === 'string' && idPattern.test(value) ? parsed(value) : refused('InvalidValue')
  },
  rules: () => [],
  text: () => '',
  asset: { accept: ({ accept }: AssetSettings) => accept },
  assetIds: (id: string) => [id],
  renamed: (id: string, names: OtherNames) => names.asset(id),
}

/** Returns the issues of an `accept` setting. `fits` checks whether the field type allows these parts. */
export function acceptIssues(accept: string, fits: (parts: string[]) => boolean = () => true): Issue[] {
  const parts = readAccept(accept)
  if (!parts) return [{ path: 'accept', code: 'InvalidFormat' }]
  return fits(parts) ? [] : [{ path: 'accept', code: 'InvalidValue' }]
}
