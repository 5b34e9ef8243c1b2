import { Suspense } from 'react'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { FullScreenButton, FullScreenFrame } from '../full-screen.tsx'
import { CharacterCount, OneText } from './one-text.tsx'

const MultipleTextInput = lazyPart(async () => (await import('./multiple-text-input.tsx')).MultipleTextInput)

const SlugInput = lazyPart(async () => (await import('./slug-input.tsx')).SlugInput)

/** The input of a text field: one line, a slug, a text area, or several texts. */
export function TextFieldInput(props: FieldInputProps<'TEXT'>) {
  if (props.field.multiple)
    return (
      <Suspense>
        <MultipleTextInput {...props} />
      </Suspense>
    )
  if (props.field.slugOf)
    return (
      <Suspense>
        <SlugInput {...props} source={props.field.slugOf} />
      </Suspense>
    )
  const value = typeof props.value === 'string' ? props.value : ''
  const isLong = props.field.inputType === 'textarea'
  const box = (
    <OneText
      field={props.field}
      value={value}
      onChange={props.onChange}
      onBlur={props.onBlur}
      readOnly={props.readOnly}
      invalid={props.issues.length > 0}
      attributes={inputAria(props)}
    />
  )
  const count = <CharacterCount value={value} limits={props.field} long={isLong} />
  if (!isLong)
    return (
      <>
        {box}
        {count}
      </>
    )
  return (
    <FullScreenFrame
      name={props.field.name}
      foot={
        <>
          {count}
          <FullScreenButton />
        </>
      }
    >
      {box}
    </FullScreenFrame>
  )
}
