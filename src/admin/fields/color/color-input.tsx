import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { FieldInputProps } from '../field-props.ts'

const ColorField = lazyPart(async () => (await import('./color-field.tsx')).ColorField)

/** Downloads the picker when the first colour field is shown. */
export function ColorFieldInput(props: FieldInputProps<'COLOR'>) {
  return (
    <Suspense fallback={<Skeleton height={36} width={220} />}>
      <ColorField {...props} />
    </Suspense>
  )
}
