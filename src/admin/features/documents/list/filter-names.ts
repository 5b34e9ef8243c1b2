import { useTranslations } from 'use-intl'
import type { SystemColumn } from '#shared/views.ts'
import { systemKey } from './list-columns.ts'
import { innerPaths, type ListModel } from './list-fields.ts'
import { operatorsOf, systemPeople, systemTimes } from './list-query.ts'

/** Returns the names that lists of the model can be filtered by, with labels. The label of a path: 著者 › 名前. */
export function useFilterNames(model: ListModel): { value: string; label: string }[] {
  const t = useTranslations('documents.filters')
  const columns = useTranslations('documents.list.columnNames')
  const system: readonly SystemColumn[] = ['_sys.status', ...systemTimes, ...systemPeople]
  return [
    ...model.fields
      .filter((field) => operatorsOf(model, field.uid).length > 0)
      .map((field) => ({ value: field.uid, label: field.name })),
    ...innerPaths(model)
      .filter(({ path }) => operatorsOf(model, path).length > 0)
      .map(({ path, names }) => ({
        value: path,
        label: names.map((name) => name || t('content')).join(' › '),
      })),
    ...system.map((name) => ({ value: name as string, label: columns(systemKey(name)) })),
  ]
}
