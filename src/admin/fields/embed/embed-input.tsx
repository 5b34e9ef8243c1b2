import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { FieldInputProps } from '../field-props.ts'

const EmbedField = lazyPart(async () => (await import('./embed-field.tsx')).EmbedField)

/** Downloads the input when the first embed field is shown. */
export function EmbedFieldInput(props: FieldInputProps<'EMBED'>) {
  return (
    <Suspense fallback={<Skeleton height={36} />}>
      <EmbedField {...props} />
    </Suspense>
  )
}
