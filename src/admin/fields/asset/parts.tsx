import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { FilterOperator } from '#shared/views.ts'
import type { AssetInputProps, AssetPreviewProps } from './asset-props.ts'

const AssetField = lazyPart(async () => (await import('./asset-field.tsx')).AssetField)
const AssetNames = lazyPart(async () => (await import('./asset-names.tsx')).AssetNames)

function AssetInput(props: AssetInputProps) {
  return (
    <Suspense fallback={<Skeleton height={88} />}>
      <AssetField {...props} />
    </Suspense>
  )
}

function AssetPreview({ value, place }: AssetPreviewProps) {
  return (
    <Suspense>
      <AssetNames value={value} place={place} />
    </Suspense>
  )
}

/** The parts of the admin side that all field types for assets of the media library share. */
export const assetParts = {
  input: AssetInput,
  preview: AssetPreview,
  group: () => true,
  multiple: true,
  sortable: false,
  operators: (): FilterOperator[] => ['eq', 'ne', 'filled', 'empty'],
  filter: lazyPart(async () => (await import('./asset-filter.tsx')).AssetFilter),
}
