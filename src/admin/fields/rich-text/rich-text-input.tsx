import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { loadScript } from '#admin/base/reload-guard.ts'
import type { FieldInputProps } from '../field-props.ts'

const RichTextField = lazy(async () => ({
  default: (await loadScript(() => import('./rich-text-field.tsx'))).RichTextField,
}))

/** Downloads the editor when the first rich text is shown. */
export function RichTextInput(props: FieldInputProps<'RICH_TEXT'>) {
  return (
    <Suspense fallback={<Skeleton height={260} />}>
      <RichTextField {...props} />
    </Suspense>
  )
}
