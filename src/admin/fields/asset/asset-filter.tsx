import { Group, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { useSettledSearch } from '#admin/lib/use-settled-search.ts'
import { titleOfAsset } from '#admin/media/asset-words.ts'
import { assetPageQuery, filterText, shownAssetQuery } from '#admin/media/assets.queries.ts'
import { Thumbnail } from '#admin/media/thumbnail.tsx'
import { filterList } from '../list-look.ts'
import classes from './asset.module.css'
import type { AssetFilterProps } from './asset-props.ts'

/** Maximum number of assets in the list, in addition to the selected one. */
const offered = 20

/** Selects an asset by searching the library. */
export function AssetFilter({ field, place: { p }, value, onChange }: AssetFilterProps) {
  const t = useTranslations('fields.filter')
  const gone = useTranslations('fields.asset')
  const [typed, setTyped] = useState('')
  const settled = useSettledSearch(typed)
  const found = useQuery(assetPageQuery(p, filterText({ search: settled.text, accept: field.accept }), 0))
  const chosen = useQuery({ ...shownAssetQuery(p, value), enabled: value !== '' })
  const assets = [
    ...(chosen.data ? [chosen.data] : []),
    ...(found.data?.assets.filter(({ _id }) => _id !== value).slice(0, offered) ?? []),
  ]
  return (
    <Select
      {...filterList}
      aria-label={t('value')}
      data={[
        // The selected asset may be in the trash or deleted while documents still refer to it.
        ...(chosen.data === null ? [{ value, label: gone('gone') }] : []),
        ...assets.map((asset) => ({ value: asset._id, label: titleOfAsset(asset) })),
      ]}
      value={value || null}
      searchable
      // The server has already filtered the assets.
      filter={({ options }) => options}
      onSearchChange={setTyped}
      nothingFoundMessage={t('nothingFound')}
      onChange={(next) => onChange(next ?? '')}
      renderOption={({ option }) => {
        const asset = assets.find(({ _id }) => _id === option.value)
        return (
          <Group gap={10} wrap="nowrap">
            <span className={classes.cell}>{asset && <Thumbnail asset={asset} cover small />}</span>
            <Text size="sm" truncate>
              {option.label}
            </Text>
          </Group>
        )
      }}
      {...settled.composition}
    />
  )
}
