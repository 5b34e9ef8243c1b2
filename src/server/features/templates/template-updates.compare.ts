import type { PortableApp } from '#archive/app-format.ts'
import type { TemplateUpdateItem } from '#shared/contract/templates.ts'
import { compareSchemas } from '#shared/schema-merge/compare.ts'
import type { IncomingSchema } from '#shared/schema-merge/schema.ts'

/** The parts of an app that updates of its template change. */
export type Parts = Pick<PortableApp, 'customFieldTypes' | 'models' | 'views'>

export interface Versions {
  /** The version that the app follows. */
  base: Parts
  /** The version to update to. */
  target: Parts
  here: Parts
}

export const schemaOf = ({ customFieldTypes, models, views }: Parts): IncomingSchema => ({
  customTypes: customFieldTypes,
  models,
  views,
})

/** Returns the changes of a newer version, each with its default choice. */
export function compareVersions({ base, target, here }: Versions): TemplateUpdateItem[] {
  const versions = { base: schemaOf(base), theirs: schemaOf(target), here: schemaOf(here) }
  return compareSchemas(versions).map((difference) => {
    const { kind, change, here: state } = difference
    const isPart = kind === 'model' || kind === 'customType'
    const isTold = isPart && (change === 'gone' || (change === 'added' && state === 'changed'))
    const isTaken = change !== 'gone' && state === 'same'
    return { ...difference, documents: 0, choice: isTold ? 'told' : isTaken ? 'take' : 'keep' }
  })
}
