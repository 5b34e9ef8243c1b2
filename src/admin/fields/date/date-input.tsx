import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { loadScript } from '#admin/base/reload-guard.ts'
import type { FieldInputProps } from '../field-props.ts'

const DateField = lazy(async () => ({
  default: (await loadScript(() => import('./date-field.tsx'))).DateField,
}))

/** Downloads the calendar when the first date field is shown. */
export function DateInput(props: FieldInputProps<'DATE'>) {
  return (
    <Suspense fallback={<Skeleton height={36} width={220} />}>
      <DateField {...props} />
    </Suspense>
  )
}
