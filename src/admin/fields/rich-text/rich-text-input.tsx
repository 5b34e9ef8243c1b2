import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { FieldInputProps } from '../field-props.ts'

const RichTextField = lazyPart(async () => (await import('./rich-text-field.tsx')).RichTextField)

/** Downloads the editor when the first rich text is shown. */
export function RichTextInput(props: FieldInputProps<'RICH_TEXT'>) {
  return (
    <Suspense fallback={<Skeleton height={260} />}>
      <RichTextField {...props} />
    </Suspense>
  )
}
