import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { FieldInputProps } from '../field-props.ts'

const DateField = lazyPart(async () => (await import('./date-field.tsx')).DateField)

/** Downloads the calendar when the first date field is shown. */
export function DateInput(props: FieldInputProps<'DATE'>) {
  return (
    <Suspense fallback={<Skeleton height={36} width={220} />}>
      <DateField {...props} />
    </Suspense>
  )
}
