import type { useForm } from './use-form.ts'
import { readingOf, useReading } from './use-reading.ts'

type NewResource = { name: string; uid: string }

/**
 * Keeps the uid equal to the suggestion for the name until the user edits the uid, in forms that create a resource.
 * Resumes if the user empties the uid. `suggestion` returns a uid for a name and its reading, or an empty text.
 *
 * @returns props of the name's input, and `suggest`, which fills in the uid for the current name
 */
export function useSuggestedUid<Values extends NewResource>(
  {
    values,
    set,
    touched,
    field,
  }: Pick<ReturnType<typeof useForm<Values>>, 'values' | 'set' | 'touched' | 'field'>,
  suggestion: (name: string, reading: string) => string,
) {
  const suggest = (name: string) => set('uid', suggestion(name, readingOf(name)))
  function follow(name: string) {
    if (!touched('uid') || values.uid === '') suggest(name)
  }
  const reading = useReading(follow)
  return { nameProps: { ...field('name', follow), ...reading }, suggest: () => suggest(values.name) }
}
