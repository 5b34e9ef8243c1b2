import { lazy, Suspense } from 'react'
import { loadScript } from '#admin/base/reload-guard.ts'
import { type FieldInputProps, inputAria } from '../field-props.ts'
import { CharacterCount, OneText } from './one-text.tsx'

const MultipleTextInput = lazy(async () => ({
  default: (await loadScript(() => import('./multiple-text-input.tsx'))).MultipleTextInput,
}))

const SlugInput = lazy(async () => ({
  default: (await loadScript(() => import('./slug-input.tsx'))).SlugInput,
}))

/** One line, a text area, or several of either. */
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
  return (
    <>
      <OneText
        field={props.field}
        value={value}
        onChange={props.onChange}
        onBlur={props.onBlur}
        readOnly={props.readOnly}
        invalid={props.issues.length > 0}
        attributes={inputAria(props)}
      />
      <CharacterCount value={value} limits={props.field} long={props.field.inputType === 'textarea'} />
    </>
  )
}
