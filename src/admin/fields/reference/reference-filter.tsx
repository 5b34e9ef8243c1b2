import { Select } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { modelQuery } from '#admin/lib/queries.ts'
import { useSettledSearch } from '#admin/lib/use-settled-search.ts'
import type { FieldFilterProps } from '../field-props.ts'
import { filterList } from '../list-look.ts'
import { firstChoicesQuery, titleOfDocument, useTarget } from './reference-queries.ts'
import { targetUids } from './target-uids.ts'

/** A filter for a referenced document, which the user selects by searching. */
export function ReferenceFilter({ field, place, value, onChange }: FieldFilterProps<'REFERENCE'>) {
  const t = useTranslations('fields.filter')
  const uids = targetUids(field)
  const [typed, setTyped] = useState('')
  const settled = useSettledSearch(typed)
  const models = useQueries({ queries: uids.map((uid) => modelQuery(place.p, place.a, uid)) })
  const choices = useQueries({ queries: uids.map((uid) => firstChoicesQuery(place, uid, settled.text)) })
  const chosen = useTarget(place, value === '' ? [] : uids, value)
  const groups = models.flatMap(({ data: model }, index) => {
    if (!model) return []
    const found = choices[index]?.data?.documents.filter((document) => document._id !== value) ?? []
    const own = chosen.document && chosen.modelUid === model.uid ? [chosen.document] : []
    const items = [...own, ...found].map((one) => ({ value: one._id, label: titleOfDocument(model, one) }))
    return [{ group: model.name, items }]
  })
  return (
    <Select
      {...filterList}
      aria-label={t('value')}
      data={groups.length > 1 ? groups : (groups[0]?.items ?? [])}
      value={value || null}
      searchable
      // The server has already filtered the documents.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      nothingFoundMessage={t('nothingFound')}
      onChange={(next) => onChange(next ?? '')}
      {...settled.composition}
    />
  )
}
