import { Skeleton } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { loadScript } from '#admin/base/reload-guard.ts'
import type { FieldInputProps } from '../field-props.ts'

const MarkdownField = lazy(async () => ({
  default: (await loadScript(() => import('./markdown-field.tsx'))).MarkdownField,
}))

/** Downloads the editor when the first Markdown field is shown. */
export function MarkdownInput(props: FieldInputProps<'MARKDOWN'>) {
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <MarkdownField {...props} />
    </Suspense>
  )
}
