import { z } from 'zod'
import { readAccept } from '../accept.ts'
import type { Issue } from '../errors.ts'
import { idPattern } from '../identifiers.ts'
import { type OtherNames, parsed, refused } from './field-type.ts'

/** Settings of a field whose values are assets. */
export interface AssetSettings {
  accept: string
}

/** `accept`: which files fit, as of an `<input type=file>`. */
export const assetSettings = (accept: string) => ({ accept: z.string().max(1000).default(accept) })

/** What all types have in common whose values are the `_id`s of assets of the space. */
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

/** What is wrong with an `accept`; `fits`: may a field of this type have these parts? */
export function acceptIssues(accept: string, fits: (parts: string[]) => boolean = () => true): Issue[] {
  const parts = readAccept(accept)
  if (!parts) return [{ path: 'accept', code: 'InvalidFormat' }]
  return fits(parts) ? [] : [{ path: 'accept', code: 'InvalidValue' }]
}
