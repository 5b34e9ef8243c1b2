import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { insideLandmark } from '../list-look.ts'

const EmojiBox = lazyPart(async () => (await import('#admin/ui/emoji-box.tsx')).EmojiBox)

/** The input of an emoji field. Text that is not an emoji is rejected by validation. */
export function EmojiFieldInput(props: FieldInputProps<'EMOJI'>) {
  return (
    <Suspense fallback={<Skeleton height={36} width={96} />}>
      <EmojiBox
        {...inputAria(props)}
        value={typeof props.value === 'string' ? props.value : ''}
        onChange={(emoji) => props.onChange(emoji || undefined)}
        onBlur={props.onBlur}
        readOnly={props.readOnly}
        error={props.issues.length > 0}
        portalProps={insideLandmark}
      />
    </Suspense>
  )
}
