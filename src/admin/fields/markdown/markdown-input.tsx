import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import type { FieldInputProps } from '../field-props.ts'

const MarkdownField = lazyPart(async () => (await import('./markdown-field.tsx')).MarkdownField)

/** Downloads the editor when the first Markdown field is shown. */
export function MarkdownInput(props: FieldInputProps<'MARKDOWN'>) {
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <MarkdownField {...props} />
    </Suspense>
  )
}
