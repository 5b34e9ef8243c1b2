import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { FieldInputProps } from '../field-props.ts'

const MapField = lazyPart(async () => (await import('./map-field.tsx')).MapField)

/** Downloads the map when the first map field is shown. */
export function MapFieldInput(props: FieldInputProps<'MAP'>) {
  return (
    <Suspense fallback={<Skeleton height={360} />}>
      <MapField {...props} />
    </Suspense>
  )
}
