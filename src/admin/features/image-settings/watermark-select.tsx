import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { pictureQuery, picturesQuery } from './image-settings.queries.ts'

interface Props {
  p: string
  /** `_id` of the picture. null: no watermark. */
  value: string | null
  onChange(id: string | null): void
}

/** Selects a picture of the library by name. */
export function WatermarkSelect({ p, value, onChange }: Props) {
  const t = useTranslations('imageSettings.form')
  const [search, setSearch] = useState('')
  const { data: chosen } = useQuery({ ...pictureQuery(p, value ?? ''), enabled: value !== null })
  // The input shows the name of the selected picture, which is not a search.
  const [words] = useDebouncedValue(search === chosen?.fileName ? '' : search, 200)
  const { data: found = [] } = useQuery({ ...picturesQuery(p, words), placeholderData: keepPreviousData })
  const isListed = value === null || found.some(({ _id }) => _id === value)
  const pictures = [
    ...(isListed ? [] : [{ value, label: chosen?.fileName ?? value }]),
    ...found.map(({ _id, fileName }) => ({ value: _id, label: fileName })),
  ]
  return (
    <Select
      label={t('watermarkPicture')}
      placeholder={t('watermarkNone')}
      data={pictures}
      value={value}
      onChange={onChange}
      searchable
      clearable
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      nothingFoundMessage={t('watermarkNothing')}
    />
  )
}
