import { useTranslations } from 'use-intl'
import type { Model } from '#shared/contract/models.ts'
import type { SystemColumn } from '#shared/views.ts'
import { systemKey } from './list-columns.ts'
import { operatorsOf, systemPeople, systemTimes } from './list-query.ts'

/** All that lists of the model can be narrowed by, by name. */
export function useFilterNames(model: Pick<Model, 'fields'>): { value: string; label: string }[] {
  const columns = useTranslations('documents.list.columnNames')
  const system: readonly SystemColumn[] = ['_sys.status', ...systemTimes, ...systemPeople]
  return [
    ...model.fields
      .filter((field) => operatorsOf(model, field.uid).length > 0)
      .map((field) => ({ value: field.uid, label: field.name })),
    ...system.map((name) => ({ value: name as string, label: columns(systemKey(name)) })),
  ]
}
