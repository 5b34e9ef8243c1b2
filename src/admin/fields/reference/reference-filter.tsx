import { Select } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { modelQuery } from '#admin/lib/queries.ts'
import { useSettledSearch } from '#admin/lib/use-settled-search.ts'
import type { FieldFilterProps } from '../field-props.ts'
import { filterList } from '../list-look.ts'
import { choicesQuery, targetQuery, titleOfDocument } from './reference-queries.ts'

/** Chooses a document of the other model by searching for it. */
export function ReferenceFilter({ field, place, value, onChange }: FieldFilterProps<'REFERENCE'>) {
  const t = useTranslations('fields.filter')
  const { modelUid } = field
  const [typed, setTyped] = useState('')
  const settled = useSettledSearch(typed)
  const { data: model } = useQuery(modelQuery(place.p, place.a, modelUid))
  const choices = useInfiniteQuery(choicesQuery(place, modelUid, settled.text))
  const chosen = useQuery({ ...targetQuery(place, modelUid, value), enabled: value !== '' })
  const documents = [
    ...(chosen.data ? [chosen.data] : []),
    ...(choices.data?.pages[0]?.documents.filter((document) => document._id !== value) ?? []),
  ]
  return (
    <Select
      {...filterList}
      aria-label={t('value')}
      data={model ? documents.map((one) => ({ value: one._id, label: titleOfDocument(model, one) })) : []}
      value={value || null}
      searchable
      // The server has searched already, in kana and kanji alike.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      nothingFoundMessage={t('nothingFound')}
      onChange={(next) => onChange(next ?? '')}
      {...settled.composition}
    />
  )
}
